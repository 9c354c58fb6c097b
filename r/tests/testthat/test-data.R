# What crosses to the program and back is what was given.

cross <- function(values, features = NULL) {
  # Rows of all kinds of ids, each with entries for four columns.
  ratings <- expand.grid(row = seq_along(values), column = 1:4)
  ratings$value <- sin(seq_len(nrow(ratings)))
  ratings$row <- values[ratings$row]
  list(fit = complete_matrix(ratings, method = "effects"), ratings = ratings)
}

test_that("ids come back as they went", {
  needs_program()
  kinds <- list(
    c(3L, -7L, 2000000000L), c(1, 2.0, 4e9), c("a", "b,\"c\"", "=1+1 \u00e4\n"), factor(c("z", "y", "x"), levels = c("z", "x", "y", "unused")),
    factor(c("10", "9", "8")), as.Date("2024-02-28") + c(0, 1, 400), c(TRUE, FALSE), as.POSIXct(c("2024-03-01 12:30:00", "2024-03-02 00:00:01"), tz = "UTC"),
    c("NA", "", " padded ")[c(1, 3)]
  )
  for (values in kinds) {
    d <- cross(values)
    back <- completed(d$fit)
    expect_identical(class(back$row), class(values))
    expect_true(all(values %in% back$row) && all(back$row %in% values), info = paste(class(values), values[1]))
    if (is.factor(values)) expect_identical(levels(back$row), levels(values))
    expect_length(predict(d$fit, d$ratings), nrow(d$ratings))
    expect_true(all(predict(d$fit, d$ratings, basis = TRUE)$basis == "known"))
  }
})

test_that("64-bit ids come back as they went", {
  needs_program()
  skip_if_not(requireNamespace("bit64", quietly = TRUE), "bit64 is not installed")
  values <- bit64::as.integer64("9007199254740993") + 0:2
  d <- cross(values)
  expect_identical(unique(completed(d$fit)$row), values)
})

test_that("every kind of feature is understood as what it is", {
  needs_program()
  n <- 40
  set.seed(5)
  f <- data.frame(
    id = seq_len(n), number = rnorm(n), whole = sample(100L, n), category = factor(rep(c("10", "20", "30"), length.out = n)),
    text = rep(c("red", "blue"), length.out = n), day = as.Date("2020-01-01") + sample(1000, n), moment = as.POSIXct("2020-01-01", tz = "UTC") + 1e5 * sample(1000, n),
    yes = rep(c(TRUE, FALSE, NA, TRUE), length.out = n), blank = c(NA, NaN, rnorm(n - 2))
  )
  f$tags <- rep(list(c("a", "b"), "a", character(0), NA, c("c", "a")), length.out = n)
  ratings <- data.frame(row = rep(1:30, each = n), column = rep(seq_len(n), 30))
  ratings$value <- rnorm(30)[ratings$row] + as.integer(f$category == "20")[ratings$column] * rnorm(30)[ratings$row]
  fit <- withCallingHandlers(complete_matrix(ratings, f, k = 1, scale = "zscore"), optcomplete_warning = function(w) invokeRestart("muffleWarning"))
  expect_equal(fit$selected, "category=20")
  said <- suppressWarnings(optcomplete_run("features", f, json = TRUE))
  kinds <- structure(said$fields$type, names = said$fields$name)
  expect_equal(kinds[["category"]], kinds[["text"]])
  expect_false(kinds[["category"]] == kinds[["whole"]])
  expect_equal(kinds[["day"]], kinds[["moment"]])
  expect_false(any(duplicated(kinds[c("number", "text", "day", "tags")])))
})

test_that("values and missing values cross to the last bit", {
  needs_program()
  values <- c(0.1 + 0.2, 1e-300, 1e15 + 0.5, -1 / 3, 5e300 / 1e290)
  ratings <- data.frame(row = 1, column = seq_along(values), value = values)
  f <- tempfile(fileext = ".csv")
  optcomplete_run("pack", ratings, output = p <- tempfile(fileext = ".pack"))
  fit <- complete_matrix(p, method = "effects")
  got <- completed(fit, keep_observed = p)
  expect_identical(got$value, values)
})

test_that("a stream has many batches where a table is long", {
  needs_program()
  whole <- small()
  rows <- internal(".batch_rows")
  on.exit(utils::assignInNamespace(".batch_rows", rows, "optcomplete"))
  utils::assignInNamespace(".batch_rows", 100, "optcomplete")
  expect_equal(small()$certificate$cost, whole$certificate$cost)
})

test_that("weights of two are entries given twice, in a column or by themselves", {
  needs_program()
  d <- frames()
  w <- rep(1:2, length.out = nrow(d$ratings))
  fit <- function(...) complete_matrix(..., features = d$features, k = 2, model = "paper", gamma = 5)$certificate$cost
  by_vector <- fit(d$ratings, weights = w)
  expect_equal(fit(cbind(d$ratings, heavy = w), weight = "heavy"), by_vector)
  expect_false(isTRUE(all.equal(by_vector, fit(d$ratings))))
  m <- make()
  wm <- matrix(1, nrow(m$a), ncol(m$a))
  wm[!is.na(m$a)] <- w
  expect_equal(complete_matrix(m$a, m$b, k = 2, model = "paper", gamma = 5, weights = wm)$certificate$cost, by_vector)
  expect_error(complete_matrix(m$a, m$b, k = 2, weights = 1:3), "length 3", class = "optcomplete_error")
})

test_that("what is wrong is an error that names the argument, the row and the remedy", {
  needs_program()
  d <- frames()
  holes <- d$ratings
  holes$value[7] <- NA
  e <- expect_error(complete_matrix(holes, d$features, k = 2), class = "optcomplete_error")
  expect_equal(e$file, "ratings")
  expect_equal(e$row, 7)
  expect_match(e$problem, "blank")
  e <- expect_error(complete_matrix(d$ratings, d$features), class = "optcomplete_error")
  expect_match(paste(e$problem, e$remedy), "\\bk\\b")
  expect_no_match(conditionMessage(e), "--")
  e <- expect_error(complete_matrix(rbind(d$ratings, d$ratings[1, ]), d$features, k = 2), class = "optcomplete_error")
  expect_equal(e$row, nrow(d$ratings) + 1)
  expect_match(e$remedy, "duplicates")
  expect_no_match(e$remedy, "--")
  expect_error(complete_matrix(d$ratings, d$features, k = 2, row_name = "who"), "there is no column \"who\"", class = "optcomplete_error")
  expect_error(complete_matrix(transform(d$ratings, value = "x"), d$features, k = 2), "not numbers", class = "optcomplete_error")
  expect_error(complete_matrix(d$ratings, d$features, k = 2, gap = -1), class = "optcomplete_error")
  expect_error(complete_matrix(list(1), d$features, k = 2), "data frame", class = "optcomplete_error")
  expect_error(complete_matrix(tempfile(), d$features, k = 2), class = "optcomplete_error")
  m <- make()
  m$a[2, 3] <- Inf
  e <- expect_error(complete_matrix(m$a, m$b, k = 2), class = "optcomplete_error")
  expect_equal(c(e$row, e$column), c("2", "3"))
  constant <- cbind(d$features, same = 1)
  expect_warning(complete_matrix(d$ratings, constant, k = 2), "same", class = "optcomplete_warning")
})
