# What fits say for themselves.

print.optcomplete_certificate <- function(x, ...) {
  if (!is.na(x$cost)) {
    cat(sprintf("Cost   %s\n", format(x$cost, digits = 9)))
    if (x$certified) { # a bound on samples is none
      cat(sprintf("Bound  %s\n", if (is.na(x$bound)) "none" else format(floor_digits(x$bound, 9), digits = 9)))
      if (!is.na(x$gap)) cat(sprintf("Gap    %s\n", percent_up(x$gap)))
    }
  }
  cat(sprintf("Proof  %s\n", x$proof))
  invisible(x)
}

# A bound with fewer digits, rounded down so that what is said is true.
floor_digits <- function(x, digits) {
  if (x == 0) return(0)
  unit <- 10^(floor(log10(abs(x))) + 1 - digits)
  floor(x / unit) * unit
}

print.optcomplete <- function(x, ...) {
  s <- x$summary
  if (s$status == "fitted") cat(sprintf("method = \"%s\", which selects nothing\n", s$method))
  else cat(sprintf("%s of %s features selected\n", length(x$selected), if (is.null(s$features)) "?" else s$features))
  for (name in x$selected) cat(" ", name, "\n")
  cat("\n")
  print(x$certificate)
  invisible(x)
}

summary.optcomplete <- function(object, ...) {
  structure(list(fit = object, explanation = explain(object)), class = "summary.optcomplete")
}

print.summary.optcomplete <- function(x, ...) {
  s <- x$fit$summary
  if (!is.null(x$fit$call)) cat("Call:\n", paste(deparse(x$fit$call), collapse = "\n"), "\n\n", sep = "")
  number <- function(n) format(n, big.mark = ",")
  cat(sprintf("%s rows, %s columns, %s entries; %s\n", number(s$rows), number(s$columns), number(s$observed), if (s$status == "fitted" || is.null(s$model)) paste("method", s$method) else paste("model", s$model)))
  print(x$fit$certificate)
  measures <- function(title, m) {
    m <- m[intersect(names(m), c("rmse", "mae", "mape", "log_loss", "auc", "brier", "deviance", "huber"))]
    m <- Filter(is.numeric, m)
    if (length(m)) cat(sprintf("%s  %s\n", title, paste(toupper(gsub("_", "-", names(m))), signif(unlist(m), 5), sep = " ", collapse = ", ")))
  }
  if (!is.null(s$train)) measures("Training", s$train)
  if (!is.null(s$holdout)) measures("Hold-out", s$holdout)
  cat("\n")
  print(x$explanation)
  invisible(x)
}

print.best_subset <- function(x, ...) {
  cat("Call:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat(sprintf("%d of %d columns selected\n\n", length(x$selected), length(x$columns)))
  print(signif(x$coefficients, 5))
  cat("\n")
  print(x$certificate)
  invisible(x)
}

summary.best_subset <- function(object, ...) structure(list(fit = object), class = "summary.best_subset")

print.summary.best_subset <- function(x, ...) {
  print(x$fit)
  s <- x$fit$summary
  shown <- s[intersect(c("rmse", "mae", "r_squared", "log_loss", "auc", "brier", "deviance", "deviance_explained"), names(s))]
  cat(sprintf("%d rows; %s\n", nobs.best_subset(x$fit), paste(gsub("_", " ", names(shown)), signif(unlist(shown), 5), collapse = ", ")))
  if (is.data.frame(s$removal)) {
    cat("\nCost without each column:\n")
    print(data.frame(column = s$removal$name, cost = signif(s$removal$cost, 6)), row.names = FALSE, right = FALSE)
  }
  if (!is.null(x$fit$certificate$near_ties)) {
    cat("\nNext best selections:\n")
    ties <- x$fit$certificate$near_ties
    for (i in seq_len(min(5, nrow(ties)))) cat(sprintf("  %s  %s\n", format(ties$cost[i], digits = 6), paste(ties$selected[[i]], collapse = ", ")))
  }
  invisible(x)
}
