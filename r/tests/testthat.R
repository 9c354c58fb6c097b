library(testthat)
library(optcomplete)

test_check("optcomplete")
