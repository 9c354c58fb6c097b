# The verbs of the package generics: what a fit says, as data frames.

tidy.optcomplete <- function(x, ...) {
  terms <- terms_of(x)
  removal <- x$summary$removal
  estimate <- if (is.null(terms$population)) terms$coefficient else terms$population
  data.frame(
    term = terms$name, estimate = first_of(estimate, NA_real_), per_sd = first_of(terms$per_sd, NA_real_),
    row_sd = first_of(terms$spread$sd, NA_real_), share = first_of(terms$share, NA_real_),
    cost_without = if (is.data.frame(removal)) removal$cost[match(terms$name, removal$name)] else NA_real_
  )
}

glance.optcomplete <- function(x, ...) {
  s <- x$summary
  c <- x$certificate
  one <- function(v) if (is.null(v)) NA else v
  data.frame(
    k = length(x$selected), features = one(s$features), rows = one(s$rows), columns = one(s$columns), nobs = one(s$observed),
    status = c$status, cost = c$cost, bound = c$bound, gap = c$gap, gamma = c$gamma,
    train_rmse = one(s$train$rmse), holdout_rmse = one(s$holdout$rmse)
  )
}

augment.optcomplete <- function(x, data = NULL, interval = NULL, ...) {
  if (is.null(data)) {
    if (is.null(x$call)) stop_with("a loaded or extended model does not know the entries that it was fitted to", "give them with data")
    data <- eval(x$call$ratings, parent.frame())
  }
  if (!is.data.frame(data)) {
    source <- entries_of(data, list())$source
    data <- data.frame(row = decode_ids(as.character(source$row), x$ids$rows), column = decode_ids(as.character(source$column), x$ids$columns), value = source$value)
  }
  at <- locate(names(data), x$names[c("row", "column")], list(c("row", "column"), c("userId", "movieId")), "data")
  got <- predicted(x, list(row = encode_ids(data[[at[1]]], "its rows"), column = encode_ids(data[[at[2]]], "its columns")), interval = interval)
  data$.fitted <- got$prediction
  if (!is.null(interval)) {
    data$.lower <- got$low
    data$.upper <- got$high
  }
  value <- first_of(x$names$value, "value")
  if (!value %in% names(data)) value <- if (ncol(data) > 2 && is.numeric(data[[3]])) names(data)[3]
  if (!is.null(value) && value %in% names(data)) data$.resid <- as.numeric(data[[value]]) - data$.fitted
  data
}

tidy.best_subset <- function(x, ...) {
  removal <- x$summary$removal
  names <- names(x$coefficients)
  data.frame(term = names, estimate = unname(x$coefficients), cost_without = if (is.data.frame(removal)) removal$cost[match(names, removal$name)] else NA_real_)
}

glance.best_subset <- function(x, ...) {
  s <- x$summary
  c <- x$certificate
  one <- function(v) if (is.null(v)) NA else v
  data.frame(
    k = length(x$selected), columns = length(x$columns), nobs = length(x$y), loss = x$loss, r.squared = one(s$r_squared), rmse = one(s$rmse),
    deviance = one(s$deviance), status = c$status, cost = c$cost, bound = c$bound, gap = c$gap, gamma = c$gamma
  )
}

augment.best_subset <- function(x, data = NULL, newdata = NULL, ...) {
  if (!is.null(newdata)) {
    newdata$.fitted <- predict.best_subset(x, newdata)
    return(newdata)
  }
  if (is.null(data)) data <- if (is.null(x$call$data)) stop_with("the data are not known", "give them with data") else eval(x$call$data, parent.frame())
  if (nrow(data) != length(fitted.best_subset(x))) stop_with(sprintf("data has %d rows, the fit %d", nrow(data), length(fitted.best_subset(x))), "give the rows that were fitted to")
  data$.fitted <- fitted.best_subset(x)
  data$.resid <- residuals.best_subset(x)
  data
}
