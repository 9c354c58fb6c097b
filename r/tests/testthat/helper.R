# Small data with a known truth.
needs_program <- function() skip_if_not(has_optcomplete(), "the optcomplete program is not there")

make <- function(rows = 60, columns = 25, features = 8, true = c(2, 5), missing = 0.4, seed = 1) {
  set.seed(seed)
  b <- matrix(runif(columns * features), columns, dimnames = list(NULL, paste0("f", seq_len(features))))
  a <- matrix(rnorm(rows * length(true)), rows) %*% t(b[, true]) + rnorm(rows * columns, sd = 0.01)
  a[runif(length(a)) < missing] <- NA
  list(a = a, b = b)
}

# The same as long frames with ids of text.
frames <- function(m = make()) {
  at <- which(!is.na(m$a), arr.ind = TRUE)
  list(
    ratings = data.frame(row = paste0("r", at[, 1]), column = paste0("c", at[, 2]), value = m$a[at]),
    features = data.frame(item = paste0("c", seq_len(nrow(m$b))), m$b)
  )
}

small <- function(...) {
  d <- frames()
  complete_matrix(d$ratings, d$features, k = 2, model = "paper", gamma = 5, ...)
}

model_folders <- function() Sys.glob(file.path(Sys.getenv("TMPDIR", "/tmp"), ".optcomplete.tmp-*"))

internal <- function(name) getFromNamespace(name, "optcomplete")
