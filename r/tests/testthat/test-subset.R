# The best subset of least squares, by trying all.
brute <- function(X, y, k) {
  choices <- utils::combn(ncol(X), k)
  rss <- apply(choices, 2, function(s) sum(stats::lm.fit(cbind(1, X[, s]), y)$residuals^2))
  sort(colnames(X)[choices[, which.min(rss)]])
}

test_that("the subset and the coefficients are those of exhaustive least squares", {
  needs_program()
  X <- as.matrix(mtcars[-1])
  for (k in 1:4) {
    fit <- best_subset(mpg ~ ., mtcars, k = k, gamma = 1e6)
    expect_equal(sort(fit$selected), brute(X, mtcars$mpg, k))
    expect_equal(fit$certificate$status, "optimal")
    again <- lm(reformulate(fit$selected, "mpg"), mtcars)
    expect_equal(coef(fit)[names(coef(again))], coef(again), tolerance = 1e-6)
    expect_equal(fitted(fit), fitted(again), tolerance = 1e-6)
    expect_equal(residuals(fit), residuals(again), tolerance = 1e-5)
    expect_equal(predict(fit, mtcars[3:5, ]), predict(again, mtcars[3:5, ]), tolerance = 1e-6)
  }
})

test_that("a formula has factors, interactions, subsets, missing values and no intercept", {
  needs_program()
  d <- transform(mtcars, cyl = factor(cyl), gear = ordered(gear))
  d$hp[4] <- NA
  fit <- best_subset(mpg ~ cyl * wt + log(hp) + gear, d, k = 3, gamma = 100, subset = disp < 450)
  expect_true(all(c("cyl6:wt", "log(hp)", "gear.L") %in% fit$columns))
  expect_equal(nobs(fit), sum(mtcars$disp < 450) - 1)
  expect_length(predict(fit, d), nrow(d))
  expect_true(is.na(predict(fit, d)[4]))
  kept <- best_subset(mpg ~ wt + hp, d, k = 1, gamma = 100, na.action = na.exclude)
  expect_true(is.na(fitted(kept)[4]) && length(residuals(kept)) == 32)
  expect_equal(names(coef(best_subset(mpg ~ wt + hp - 1, mtcars, k = 1, gamma = 100))), best_subset(mpg ~ wt + hp - 1, mtcars, k = 1, gamma = 100)$selected)
})

test_that("weights are rows given more than once, and offsets are part of the sum", {
  needs_program()
  w <- rep(1:2, 16)
  weighted <- best_subset(mpg ~ ., mtcars, k = 2, gamma = 1, weights = w)
  repeated <- best_subset(mpg ~ ., mtcars[rep(1:32, w), ], k = 2, gamma = 1)
  expect_equal(coef(weighted), coef(repeated), tolerance = 1e-6)
  shifted <- best_subset(mpg ~ . + offset(3 * wt), mtcars, k = 10, gamma = 1e6)
  plain <- lm(mpg ~ ., mtcars)
  expect_equal(coef(shifted)[["wt"]] + 3, coef(plain)[["wt"]], tolerance = 1e-4)
  expect_equal(predict(shifted, mtcars), fitted(plain), tolerance = 1e-4)
})

test_that("families are those of glm", {
  needs_program()
  set.seed(2)
  n <- 400
  d <- data.frame(a = rnorm(n), b = rnorm(n), c = rnorm(n), exposure = runif(n, 1, 5))
  d$yes <- rbinom(n, 1, plogis(d$a - d$b))
  d$count <- rpois(n, d$exposure * exp(0.3 + 0.5 * d$a))
  logit <- best_subset(factor(yes, labels = c("no", "yes")) ~ a + b + c, d, k = 2, family = binomial, gamma = 1e6)
  expect_setequal(logit$selected, c("a", "b"))
  expect_equal(coef(logit), coef(glm(yes ~ a + b, binomial, d))[names(coef(logit))], tolerance = 1e-3)
  expect_equal(predict(logit, d, type = "link"), qlogis(predict(logit, d)), tolerance = 1e-6)
  d$trials <- sample(5:9, n, TRUE)
  d$won <- rbinom(n, d$trials, plogis(d$a))
  counts <- best_subset(cbind(won, trials - won) ~ a + b + c, d, k = 1, family = binomial(), gamma = 1e6)
  expect_equal(coef(counts), coef(glm(cbind(won, trials - won) ~ a, binomial, d)), tolerance = 1e-3)
  rate <- best_subset(count ~ a + b + c + offset(log(exposure)), d, k = 1, family = poisson, gamma = 1e6)
  expect_equal(coef(rate), coef(glm(count ~ a + offset(log(exposure)), poisson, d)), tolerance = 1e-3)
  expect_equal(predict(rate, d), fitted(glm(count ~ a + offset(log(exposure)), poisson, d)), tolerance = 1e-2)
  expect_equal(mean(residuals(rate)), 0, tolerance = 0.05)
  expect_error(best_subset(yes ~ a + offset(b), d, family = binomial), "offset", class = "optcomplete_error")
  expect_error(best_subset(yes ~ a, d, family = binomial("probit")), "probit", class = "optcomplete_error")
})

test_that("a matrix and a response do without a formula", {
  needs_program()
  X <- as.matrix(mtcars[-1])
  fit <- best_subset(X, mtcars$mpg, k = 3, gamma = 1e6)
  formula <- best_subset(mpg ~ ., mtcars, k = 3, gamma = 1e6)
  expect_equal(fit$selected, formula$selected)
  expect_equal(predict(fit, X), predict(formula, mtcars))
  expect_error(best_subset(cbind(X, NA), mtcars$mpg, k = 3), "not finite", class = "optcomplete_error")
  expect_error(best_subset(iris, iris$Sepal.Width, k = 3), "Species", class = "optcomplete_error")
})

test_that("update, the tidiers and printing know a fit, and it can be saved", {
  needs_program()
  fit <- best_subset(mpg ~ ., data = mtcars, k = 3, gamma = 100)
  expect_length(update(fit, k = 2)$selected, 2)
  expect_length(update(fit, . ~ . - wt, k = 2)$columns, 9)
  expect_equal(tidy(fit)$term, names(coef(fit)))
  expect_equal(glance(fit)$nobs, 32)
  expect_equal(augment(fit)$.resid, unname(residuals(fit)), ignore_attr = TRUE)
  expect_output(print(fit), "proven optimal")
  expect_output(print(summary(fit)), "Cost without each column")
  saveRDS(fit, f <- tempfile())
  expect_equal(predict(readRDS(f), mtcars), predict(fit, mtcars))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  fit <- suppressWarnings(best_subset(mpg ~ ., data = mtcars, k = 3))
  for (type in c("features", "residuals", "gap", "gamma")) expect_no_error(internal("drawing")(fit, type, FALSE))
})
