# best_subset: a regression on the best k columns of a table.

best_subset <- function(x, ...) UseMethod("best_subset")

best_subset.formula <- function(formula, data = NULL, weights = NULL, subset = NULL, na.action = NULL, offset = NULL, contrasts = NULL, ...) {
  call <- match.call()
  frame <- call[c(1, match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(call), 0))]
  frame[[1]] <- quote(stats::model.frame)
  frame$drop.unused.levels <- TRUE
  frame <- eval(frame, parent.frame())
  terms <- stats::terms(frame)
  X <- stats::model.matrix(terms, frame, contrasts)
  levels <- stats::.getXlevels(terms, frame)
  kept <- attr(X, "contrasts")
  X <- X[, colnames(X) != "(Intercept)", drop = FALSE]
  if (!ncol(X)) stop_with("the formula has no columns to select from", "name some, such as y ~ .")
  extra <- if (attr(terms, "intercept") == 0) list(no_intercept = TRUE) else list()
  fit <- do.call(best_subset.default, c(
    list(X, stats::model.response(frame), weights = stats::model.weights(frame), offset = stats::model.offset(frame)), extra, list(...)
  ), quote = TRUE)
  call[[1]] <- quote(best_subset)
  fit$call <- call
  fit$terms <- terms
  fit$xlevels <- levels
  fit$contrasts <- kept
  fit$na.action <- attr(frame, "na.action")
  fit
}

best_subset.default <- function(
  x, y,
  # settings: regress, made by `make settings`
  k = NULL,
  threads = NULL,
  seed = 1,
  always = NULL,
  at_most = NULL,
  never = NULL,
  gamma = "auto",
  refit = "auto",
  loss = "auto",
  delta = NULL,
  nonnegative = NULL,
  no_intercept = FALSE,
  gap = NULL,
  checkpoint = NULL,
  memory = NULL,
  time_limit = NULL,
  search_time = "2m",
  max_nodes = NULL,
  near_ties = 5,
  holdout = NULL,
  folds = 5,
  # end of settings
  family = NULL, weights = NULL, offset = NULL, progress = NULL, ...
) {
  refuse_others(...)
  options <- given()
  call <- match.call()
  call[[1]] <- quote(best_subset)
  if (!is.null(family)) options$loss <- loss_of(family, options$loss)
  x <- numbers_of(x)
  y <- response_of(y, options$loss)
  size <- NROW(x)
  if (NROW(y$value) != size) stop_with(sprintf("x has %d rows, y %d", size, NROW(y$value)), "give a value for each row")
  weights <- case_weights(weights, y$weights, size)
  value <- y$value
  if (!is.null(offset) && any(offset != 0)) {
    # A constant in the sum of a row. For counts it is exposure: the same likelihood has rates, weighed by it.
    loss <- options$loss
    if (isTRUE(loss == "poisson")) {
      value <- value * exp(-offset)
      weights <- exp(offset) * (if (is.null(weights)) 1 else weights)
    } else if (isTRUE(loss %in% c("squared", "huber")) || is.null(loss) && !y$yes_no) {
      value <- value - offset
      if (is.null(loss)) options$loss <- "squared"
    } else {
      stop_with("the log-odds have an offset", "leave it out: offsets go with family = gaussian, poisson or loss = \"huber\"")
    }
  }
  names <- colnames(x)
  target <- unused("target", names)
  table <- c(lapply(seq_len(ncol(x)), function(j) unname(x[, j])), list(value))
  names(table) <- c(names, target)
  sent <- c(options, list(target = target, json = TRUE))
  if (is.null(k)) sent$k <- min(5, ncol(x))
  if (!is.null(weights)) {
    sent$weight <- unused("case_weights", c(names, target))
    table[[sent$weight]] <- weights
  }
  s <- new_session()
  on.exit(end_session(s))
  answer <- ask_watched(s, "regress", "data", sent, list(data = table), progress)
  summary <- answer$json
  selected <- as.character(summary$selected)
  values <- structure(as.numeric(summary$coefficients), names = selected)
  if (!isTRUE(no_intercept)) values <- c("(Intercept)" = summary$intercept, values)
  fit <- structure(
    list(
      coefficients = values, selected = selected, certificate = certificate_of(summary), summary = summary, call = call,
      loss = if (is.null(summary$loss)) "squared" else summary$loss, y = y$value, weights = weights, offset = offset, settings = options,
      columns = names, trace = answer$trace
    ),
    class = "best_subset"
  )
  fit$linear.predictors <- sums_of(fit, x, offset)
  fit$fitted.values <- mean_of(fit, fit$linear.predictors)
  fit
}

loss_of <- function(family, loss) {
  if (is.function(family)) family <- family()
  name <- if (is.character(family)) family else family$family
  link <- if (is.character(family)) NULL else family$link
  known <- list(gaussian = c("squared", "identity"), binomial = c("logistic", "logit"), poisson = c("poisson", "log"))[[name]]
  if (is.null(known) || !is.null(link) && link != known[2]) {
    stop_with(sprintf("family is %s%s", name, if (is.null(link)) "" else sprintf(" with the link %s", link)), "use gaussian(), binomial() or poisson(), or loss = \"huber\"")
  }
  if (!is.null(loss) && !loss %in% c("auto", known[1])) stop_with(sprintf("family is %s, but loss is %s", name, loss), "give one of them")
  known[1]
}

# A table as numbers. Text must come through a formula.
numbers_of <- function(x) {
  if (inherits(x, "Matrix")) x <- as.matrix(x)
  if (is.data.frame(x)) {
    bad <- names(x)[!vapply(x, function(v) is.numeric(v) || is.logical(v), NA)]
    if (length(bad)) stop_with(sprintf("column \"%s\" of x does not hold numbers", bad[1]), "use a formula, such as y ~ ., which encodes factors; or optcomplete_run(\"regress\", ...), which encodes text, lists and dates")
    x <- as.matrix(x)
  }
  if (!is.matrix(x) || !is.numeric(x) && !is.logical(x)) stop_with("x is no table of numbers", "give a matrix, a data frame of numbers, or a formula")
  storage.mode(x) <- "double"
  if (!all(is.finite(x))) stop_with("x holds values that are not finite", "fill them in or leave the rows out; the formula interface leaves out rows with NA")
  if (is.null(colnames(x))) colnames(x) <- paste0("x", seq_len(ncol(x)))
  x
}

# The response as numbers: factors of two levels, and counts of successes and failures, as glm() reads them.
response_of <- function(y, loss) {
  weights <- NULL
  if (is.matrix(y) && ncol(y) == 2 && isTRUE(loss == "logistic")) {
    weights <- rowSums(y)
    y <- ifelse(weights > 0, y[, 1] / weights, 0)
  } else if (is.matrix(y) && ncol(y) == 1) {
    y <- y[, 1]
  } else if (is.factor(y) && nlevels(y) == 2) {
    y <- as.numeric(y == levels(y)[2])
  } else {
    y <- as_number(y)
  }
  if (!is.numeric(y) || is.matrix(y)) stop_with("the response does not hold numbers", "give numbers, a factor of two levels, yes and no, or with family = binomial counts of successes and failures")
  if (!all(is.finite(y))) stop_with("the response holds values that are not finite", "leave these rows out")
  list(value = as.numeric(y), weights = weights, yes_no = all(y %in% c(0, 1)))
}

case_weights <- function(given, counted, size) {
  if (!is.null(given)) {
    if (!is.numeric(given) || length(given) != size) stop_with(sprintf("weights have the length %d", length(given)), sprintf("give a number for each of the %d rows", size))
    if (!all(is.finite(given) & given >= 0)) stop_with("weights hold numbers that are no weights", "weights are finite and not negative")
    given <- as.numeric(given)
  }
  if (is.null(given)) counted else if (is.null(counted)) given else given * counted
}

unused <- function(name, taken) {
  while (name %in% taken) name <- paste0(name, "_")
  name
}

sums_of <- function(fit, x, offset = NULL) {
  values <- fit$coefficients
  sums <- drop(x[, fit$selected, drop = FALSE] %*% values[fit$selected])
  if ("(Intercept)" %in% names(values)) sums <- sums + values[["(Intercept)"]]
  if (!is.null(offset)) sums <- sums + offset
  sums
}

mean_of <- function(fit, sums) switch(fit$loss, logistic = stats::plogis(sums), poisson = exp(sums), sums)

predict.best_subset <- function(object, newdata = NULL, type = c("response", "link"), ...) {
  refuse_others(...)
  type <- match.arg(type)
  if (is.null(newdata)) {
    sums <- object$linear.predictors
  } else {
    offset <- NULL
    if (is.null(object$terms)) {
      x <- numbers_of(newdata)
      lost <- setdiff(object$selected, colnames(x))
      if (length(lost)) stop_with(sprintf("newdata has no column \"%s\"", lost[1]), "it needs the columns that were selected")
    } else {
      terms <- stats::delete.response(object$terms)
      frame <- stats::model.frame(terms, newdata, na.action = stats::na.pass, xlev = object$xlevels)
      x <- stats::model.matrix(terms, frame, object$contrasts)
      offset <- stats::model.offset(frame)
    }
    sums <- sums_of(object, x, offset)
  }
  if (type == "link") sums else mean_of(object, sums)
}

fitted.best_subset <- function(object, ...) stats::napredict(object$na.action, object$fitted.values)

residuals.best_subset <- function(object, ...) stats::naresid(object$na.action, object$y - object$fitted.values)

coef.best_subset <- function(object, ...) object$coefficients

nobs.best_subset <- function(object, ...) length(object$y)

formula.best_subset <- function(x, ...) {
  if (is.null(x$terms)) stop_with("this fit has no formula", "fit with one")
  stats::formula(x$terms)
}
