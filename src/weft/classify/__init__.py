"""Classify pages by examples; importing this folder registers its methods."""

from weft.classify.advice import ClassShare, CurvePoint
from weft.classify.auto import auto
from weft.classify.classes import Classes, ClassifiedPage, Neighbour
from weft.classify.label_spreading import label_spreading
from weft.classify.labelled_pages import LabelledPages, LinkContext, read_training_rows
from weft.classify.link_context import link_context
from weft.classify.plsa_phits import plsa_phits
from weft.classify.prm import prm
from weft.classify.relaxation import relaxation
from weft.classify.silk import silk
from weft.classify.text import Estimate, TextModel, fit_linear, fit_naive_bayes
from weft.classify.text_methods import linear, naive_bayes

__all__ = [
    "ClassShare",
    "Classes",
    "ClassifiedPage",
    "CurvePoint",
    "Estimate",
    "LabelledPages",
    "LinkContext",
    "Neighbour",
    "TextModel",
    "auto",
    "fit_linear",
    "fit_naive_bayes",
    "label_spreading",
    "linear",
    "link_context",
    "naive_bayes",
    "plsa_phits",
    "prm",
    "read_training_rows",
    "relaxation",
    "silk",
]
