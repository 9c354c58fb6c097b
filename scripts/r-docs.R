# Runs the blocks of R in a page of the manual and compares what they print with the lines that begin with "#>":
#   Rscript scripts/r-docs.R docs/r.md
options(warn = 1, width = 100)
lines <- readLines(commandArgs(TRUE)[1], encoding = "UTF-8")
home <- new.env(parent = globalenv())
inside <- FALSE
code <- character(0)
wrong <- 0
run <- function(code, at) {
  said <- sub("^#> ?", "", code[startsWith(code, "#>")])
  got <- utils::capture.output(for (e in parse(text = code, keep.source = TRUE)) {
    v <- tryCatch(withVisible(eval(e, home)), error = function(problem) {
      if (!any(grepl("^Error", said))) stop(problem)
      cat("Error:", conditionMessage(problem), "\n")
      list(visible = FALSE)
    })
    if (v$visible) print(v$value)
  })
  clean <- function(x) gsub(" +", " ", trimws(x))
  if (length(said) && !identical(clean(got), clean(said))) {
    cat(sprintf("block that ends on line %d prints\n%s\nnot\n%s\n", at, paste(got, collapse = "\n"), paste(said, collapse = "\n")))
    wrong <<- wrong + 1
  }
}
grDevices::pdf(NULL)
blocks <- 0
for (i in seq_along(lines)) {
  if (inside && lines[i] == "```") {
    run(code, i)
    blocks <- blocks + 1
    inside <- FALSE
  } else if (inside) {
    code <- c(code, lines[i])
  } else if (lines[i] == "```r") {
    inside <- TRUE
    code <- character(0)
  }
}
cat(sprintf("%s: %d blocks of R, %d print something else\n", commandArgs(TRUE)[1], blocks, wrong))
quit(status = wrong > 0)
