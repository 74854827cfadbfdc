# docker build --tag=weft .
# docker run --rm -v "$PWD:/data" weft add mine.weft crawl.warc.gz
# docker run --rm -v "$PWD:/data" -p 127.0.0.1:8765:8765 weft serve mine.weft --host 0.0.0.0 --no-browser
FROM node:22-slim AS workbench
WORKDIR /source/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --no-fund --no-audit
COPY web ./
RUN npm run --silent build

FROM python:3.13-slim AS wheel
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE requirements.lock ./
COPY packaging packaging
COPY src src
COPY --from=workbench /source/src/weft/server/workbench src/weft/server/workbench
RUN python -m venv /opt/weft \
 && /opt/weft/bin/pip install --no-cache-dir --require-hashes -r requirements.lock \
 && /opt/weft/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
COPY --from=wheel /opt/weft /opt/weft
# Kernels are compiled once, here, into a cache that any user of the image may add to:
# with --user there is no home folder to keep them in.
ENV NUMBA_CACHE_DIR=/opt/weft/cache
RUN useradd --create-home weft && mkdir /data && chown weft /data \
 && cd /tmp && /opt/weft/bin/weft -q demo && rm -r weft-demo && chmod -R a+rwX /opt/weft/cache
USER weft
WORKDIR /data
EXPOSE 8765
ENTRYPOINT ["/opt/weft/bin/weft"]
CMD ["--help"]
