test_that("long frames, matrices, sparse matrices and wide frames give the same fit", {
  needs_program()
  m <- make()
  d <- frames(m)
  long <- complete_matrix(d$ratings, d$features, k = 2, model = "paper", gamma = 5)
  same <- list(complete_matrix(m$a, m$b, k = 2, model = "paper", gamma = 5))
  labelled <- m$a
  dimnames(labelled) <- list(paste0("r", seq_len(nrow(m$a))), paste0("c", seq_len(ncol(m$a))))
  same$wide <- complete_matrix(as.data.frame(labelled), d$features, k = 2, model = "paper", gamma = 5)
  if (requireNamespace("Matrix", quietly = TRUE)) {
    at <- which(!is.na(m$a), arr.ind = TRUE)
    sparse <- Matrix::sparseMatrix(at[, 1], at[, 2], x = m$a[at], dims = dim(m$a))
    same$sparse <- complete_matrix(sparse, m$b, k = 2, model = "paper", gamma = 5)
    same$triplets <- complete_matrix(methods::as(sparse, "TsparseMatrix"), m$b, k = 2, model = "paper", gamma = 5)
  }
  expect_setequal(long$selected, c("f2", "f5"))
  expect_equal(long$certificate$status, "optimal")
  expect_lte(long$certificate$bound, long$certificate$cost)
  for (fit in same) {
    expect_equal(fit$selected, long$selected)
    expect_equal(fit$certificate$cost, long$certificate$cost, tolerance = 1e-12)
  }
})

test_that("the selection is that of brute force", {
  needs_program()
  m <- make(rows = 20, columns = 12, features = 5, seed = 3)
  gamma <- 2
  cost <- function(s) {
    sum(vapply(seq_len(nrow(m$a)), function(i) {
      o <- !is.na(m$a[i, ])
      z <- m$b[o, s, drop = FALSE]
      a <- m$a[i, o]
      u <- solve(diag(length(s)) / gamma + crossprod(z), crossprod(z, a))
      sum(a^2) - sum(crossprod(z, a) * u)
    }, 0)) / length(m$a)
  }
  choices <- utils::combn(5, 2)
  costs <- apply(choices, 2, cost)
  fit <- complete_matrix(m$a, m$b, k = 2, model = "paper", gamma = gamma)
  expect_equal(fit$certificate$cost, min(costs), tolerance = 1e-9)
  expect_setequal(fit$selected, paste0("f", choices[, which.min(costs)]))
})

test_that("a completed matrix is as the ratings were, and nothing is missing", {
  needs_program()
  m <- make()
  m$a[3, ] <- NA
  fit <- complete_matrix(m$a, m$b, k = 2)
  full <- completed(fit)
  expect_equal(dim(full), dim(m$a))
  expect_false(anyNA(full))
  expect_lt(sqrt(mean((full - m$a)^2, na.rm = TRUE)), 0.05)
  at <- cbind(c(1, 7, 60), c(2, 25, 9))
  expect_equal(full[at], predict(fit, data.frame(row = at[, 1], column = at[, 2])))
  long <- completed(fit, rows = 4:5, wide = FALSE)
  expect_type(long$row, "integer")
  expect_equal(nrow(long), 50)
  expect_equal(completed(fit, rows = 4:5), full[4:5, ])
})

test_that("predictions are in the order of the pairs, with intervals around them", {
  needs_program()
  f <- frames()
  d <- f$ratings
  fit <- complete_matrix(d, f$features, k = 2)
  all <- predict(fit, d, interval = 0.9, basis = TRUE)
  expect_equal(names(all), c("fit", "lwr", "upr", "basis"))
  expect_true(all(all$lwr <= all$fit & all$fit <= all$upr & all$lwr < all$upr))
  turned <- rev(seq_len(nrow(d)))
  expect_equal(predict(fit, d[turned, ]), all$fit[turned])
  expect_equal(fitted(fit, d), all$fit)
  expect_equal(residuals(fit, d), d$value - all$fit)
  pairs <- data.frame(row = c("r1", "nobody", "r2"), column = c("c1", "c1", "nothing"))
  expect_warning(some <- predict(fit, pairs, skip_unknown = TRUE), "left out", class = "optcomplete_warning")
  expect_equal(is.na(some), c(FALSE, TRUE, TRUE))
  expect_warning(all <- predict(fit, pairs, basis = TRUE), "nothing", class = "optcomplete_warning")
  expect_equal(all$basis, c("known", "new row", "new column"))
  expect_length(predict(fit, pairs[0, ]), 0)
  expect_error(predict(fit, pairs, interval = 90), "0.9 for nine in ten")
})

test_that("further entries give further rows, and further records further columns", {
  needs_program()
  d <- frames()
  fit <- small()
  more <- fold_in(fit, data.frame(row = "new", column = c("c1", "c2", "c3"), value = c(1, 2, 3)))
  expect_equal(predict(more, data.frame(row = "new", column = "c9"), basis = TRUE)$basis, "known")
  expect_equal(predict(fit, data.frame(row = "new", column = "c9"), basis = TRUE)$basis, "new row")
  later <- transform(d$features[1, ], item = "later")
  expect_equal(predict(fit, data.frame(row = "r1", column = "later"), features = later), predict(fit, data.frame(row = "r1", column = "c1")), tolerance = 1e-6)
})

test_that("recommendations are the best predictions of what a row has not seen", {
  needs_program()
  fit <- small()
  d <- frames()$ratings
  best <- recommend(fit, c("r3", "r1"), n = 4, caution = 0)
  expect_equal(best$row, rep(c("r3", "r1"), each = 4))
  expect_equal(best$rank, rep(1:4, 2))
  unseen <- setdiff(paste0("c", 1:25), d$column[d$row == "r1"])
  p <- predict(fit, data.frame(row = "r1", column = unseen))
  expect_equal(best$prediction[5:8], sort(p, decreasing = TRUE)[1:4])
  expect_equal(nrow(recommend(fit, n = 1)), 60)
  many <- paste0("r", 40:10)
  some <- recommend(fit, many, n = 2)
  expect_equal(unique(some$row), many)
  expect_equal(some[some$row == "r11", "column"], recommend(fit, "r11", n = 2)$column)
  expect_equal(nrow(recommend(fit, character(0))), 0)
})

test_that("a prediction is the sum that explain and coef say it is", {
  needs_program()
  fit <- small()
  m <- make()
  e <- explain(fit, "r5", "c7")
  expect_equal(e$prediction, predict(fit, data.frame(row = "r5", column = "c7")))
  u <- coef(fit, rows = c("r5", "r6"))
  expect_equal(drop(u %*% m$b[7, colnames(u)]), predict(fit, data.frame(row = c("r5", "r6"), column = "c7")), ignore_attr = TRUE)
  expect_output(print(e), "Row r5, column c7")
  expect_true(all(fit$selected %in% names(coef(fit))))
})

test_that("update, path, the tidiers and the report go on from a fit", {
  needs_program()
  d <- frames()
  fit <- complete_matrix(d$ratings, d$features, k = 2)
  expect_length(update(fit, k = 3)$selected, 3)
  p <- path(fit, folds = 2)
  expect_equal(p$points$k, 1:4)
  expect_equal(p$selected, p$points$selected[[p$chosen]])
  expect_equal(p$points$cost[2], fit$certificate$cost)
  expect_output(print(p), "one standard error")
  expect_equal(tidy(fit)$term, fit$selected)
  expect_equal(glance(fit)$bound, fit$certificate$bound)
  expect_equal(augment(fit)$.resid, residuals(fit))
  expect_equal(names(augment(fit, d$ratings[1:3, ], interval = 0.5))[4:7], c(".fitted", ".lower", ".upper", ".resid"))
  page <- report(fit, file = f <- tempfile(), path = p)
  expect_true(startsWith(page$html, "<!") && file.exists(f) && grepl("f5", page$html))
  expect_output(print(summary(fit)), "proven optimal")
  expect_warning(errors <- evaluate(fit, d$ratings), "knows their values", class = "optcomplete_warning")
  expect_lt(errors$rmse$value, 0.1)
})

test_that("a fit can be saved with saveRDS and for the command line", {
  needs_program()
  fit <- small()
  d <- frames()
  f <- tempfile()
  saveRDS(fit, f)
  code <- sprintf("library(optcomplete, lib.loc = \"%s\"); fit <- readRDS(\"%s\"); cat(sprintf(\"%%.17g\", predict(fit, data.frame(row = \"r1\", column = \"c1\"))))", dirname(system.file(package = "optcomplete")), f)
  said <- processx::run(file.path(R.home("bin"), "Rscript"), c("-e", code), env = c("current", OPTCOMPLETE_BINARY = optcomplete_program()))
  expect_equal(as.numeric(said$stdout), predict(fit, data.frame(row = "r1", column = "c1")))
  folder <- tempfile()
  save_model(fit, folder)
  again <- load_model(folder)
  expect_equal(predict(again, d$ratings), predict(fit, d$ratings))
  expect_equal(again$selected, fit$selected)
  expect_equal(again$settings[c("gamma", "model", "k")], list(gamma = 5, model = "paper", k = 2L))
  expect_error(fitted(again), "does not know the entries", class = "optcomplete_error")
  expect_error(load_model(tempdir()), "is not a saved model", class = "optcomplete_error")
  expect_error(save_model(fit, R.home()), "is not replaced", class = "optcomplete_error")
})

test_that("products of row and column features are selected", {
  needs_program()
  m <- make()
  rows <- data.frame(id = 1:60, age = rnorm(60), size = runif(60))
  fit <- complete_matrix(m$a + outer(rows$age, 5 * m$b[, 3]), m$b, row_features = rows, k = 1)
  expect_match(fit$selected, "^age .* f3$")
  expect_equal(names(coef(fit)), fit$selected)
  expect_error(coef(fit, rows = 1), "no coefficients of their own", class = "optcomplete_error")
})

test_that("plots are drawn by ggplot2 and by base graphics", {
  needs_program()
  d <- frames()
  fit <- complete_matrix(d$ratings, d$features, k = 2, model = "paper")
  p <- path(fit, k_max = 3, folds = 2)
  drawing <- internal("drawing")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_error(plot(fit, "gamma"), "no gamma was tried", class = "optcomplete_error")
  for (type in c("features", "gap")) {
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      expect_s3_class(ggplot2::ggplot_build(drawing(fit, type, TRUE)), "ggplot_built")
      expect_s3_class(ggplot2::autoplot(fit, type), "ggplot")
    }
    expect_no_error(drawing(fit, type, FALSE))
  }
  expect_no_error(drawing(p, "path", FALSE))
  expect_no_error(plot(p))
})

test_that("a fit starts from another", {
  needs_program()
  fit <- small()
  d <- frames()
  again <- complete_matrix(d$ratings, d$features, k = 2, model = "paper", gamma = 5, warm_start = fit)
  expect_equal(again$selected, fit$selected)
})

test_that("softImpute's matrices are sparse matrices", {
  needs_program()
  skip_if_not(requireNamespace("softImpute", quietly = TRUE), "softImpute is not installed")
  m <- make()
  at <- which(!is.na(m$a), arr.ind = TRUE)
  fit <- complete_matrix(softImpute::Incomplete(at[, 1], at[, 2], m$a[at]), m$b, k = 2, model = "paper", gamma = 5)
  expect_equal(fit$certificate$cost, small()$certificate$cost)
})

test_that("what is printed of a proof is true: bounds are rounded down, gaps up, and samples prove nothing", {
  needs_program()
  expect_equal(internal("floor_digits")(1.23456789961, 9), 1.23456789)
  expect_equal(internal("floor_digits")(-1.23456789961, 9), -1.2345679)
  expect_equal(internal("percent_up")(0.12341), "12.35 %")
  expect_equal(internal("percent_up")(1e-15), "<1e-6 %")
  expect_equal(internal("percent_up")(0), "0 %")
  m <- make(rows = 200)
  sampled <- suppressWarnings(complete_matrix(m$a, m$b, k = 2, model = "paper", gamma = 5, method = "optcomplete"))
  expect_output(print(sampled), "nothing is proven")
  expect_false(any(grepl("^(Bound|Gap)", utils::capture.output(print(sampled)))))
})
