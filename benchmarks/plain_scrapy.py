"""A spider as Scrapy's tutorial has it, without Weft: the measure for `benchmarks.fetch`.

python -m benchmarks.plain_scrapy --pages N --seed-url URL --folder UNUSED
"""

import argparse
from collections.abc import Iterator

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor


def main() -> None:
    """Follow all links of one host; print the number of pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int)
    parser.add_argument("--seed-url")
    parser.add_argument("--folder")
    options = parser.parse_args()
    counted = []

    class Plain(Spider):
        name = "plain"
        start_urls = (options.seed_url,)
        links = LinkExtractor(allow=r"^http://127\.0\.0\.1:")

        def parse(self, response: Response) -> Iterator[Request]:
            if not isinstance(response, HtmlResponse):
                return
            counted.append(response.url)
            if len(counted) >= options.pages:
                raise CloseSpider("enough")
            for link in self.links.extract_links(response):
                yield Request(link.url)

    process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False})
    process.crawl(Plain)
    process.start()
    print(len(counted))


if __name__ == "__main__":
    main()
