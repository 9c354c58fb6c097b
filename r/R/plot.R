# Plots: with ggplot2 if it is there, and with base graphics else.

utils::globalVariables(".data") # columns of a plot's data, to ggplot2

# What is drawn: a picture is points, lines and bars of data frames, for either kind of graphics.
gap_data <- function(trace) {
  known <- if (length(trace) && nrow(trace)) trace[!is.na(trace$cost) & (if (is.null(trace$sampled)) TRUE else !trace$sampled %in% TRUE), ]
  if (is.null(known) || !nrow(known)) stop_with("how the search went is not known: the model was loaded, or had nothing to search", "fit it in R")
  known$seconds[is.na(known$seconds)] <- 0
  bounded <- if (is.null(known$bound)) known[0, ] else known[!is.na(known$bound) & !is.na(known$gap) & known$gap <= 1, ]
  rbind(
    data.frame(seconds = known$seconds, value = known$cost, what = "cost of the best selection"),
    data.frame(seconds = bounded$seconds, value = if (nrow(bounded)) bounded$bound else numeric(0), what = rep("bound: no selection is below", nrow(bounded)))
  )
}

plot_gap <- function(trace, gg) {
  d <- gap_data(trace)
  span <- range(d$value) # of a search that ended where it began, there would be nothing but rounding
  if (diff(span) < 1e-3 * max(abs(span))) span <- mean(span) * c(0.99, 1.01)
  if (gg) {
    return(ggplot2::ggplot(d, ggplot2::aes(.data$seconds, .data$value, colour = .data$what)) +
      ggplot2::geom_step() + ggplot2::geom_point(size = 1) + ggplot2::coord_cartesian(ylim = span) +
      ggplot2::labs(x = "seconds", y = "cost", colour = NULL, title = "The search") + ggplot2::theme(legend.position = "bottom"))
  }
  kinds <- unique(d$what)
  graphics::plot(d$seconds, d$value, type = "n", ylim = span, xlab = "seconds", ylab = "cost", main = "The search")
  for (i in seq_along(kinds)) graphics::lines(value ~ seconds, d[d$what == kinds[i], ], type = "o", pch = 20, cex = 0.6, col = i + 1)
  graphics::legend("right", legend = kinds, col = seq_along(kinds) + 1, lty = 1, bty = "n")
}

plot_bars <- function(names, values, label, title, gg) {
  if (gg) {
    d <- data.frame(name = factor(names, rev(names)), value = values)
    return(ggplot2::ggplot(d, ggplot2::aes(.data$value, .data$name)) + ggplot2::geom_col(width = 0.6) +
      ggplot2::geom_vline(xintercept = 0, colour = "grey40") + ggplot2::labs(x = label, y = NULL, title = title))
  }
  old <- graphics::par(mar = c(5, 1 + 0.55 * max(nchar(names)), 4, 2))
  on.exit(graphics::par(old))
  graphics::barplot(rev(values), names.arg = rev(names), horiz = TRUE, las = 1, xlab = label, main = title)
  graphics::abline(v = 0, col = "grey40")
}

# What is selected, and what it does to predictions.
terms_of <- function(x) {
  content <- ask_model(x, "explain", options = list(json = TRUE), warn = FALSE)$json
  terms <- content$terms
  if (!is.data.frame(terms) && is.data.frame(content$products)) terms <- cbind(name = x$selected, content$products)
  if (!is.data.frame(terms) || !nrow(terms)) stop_with("this model selected no features", "fit with method = \"certified\"")
  terms
}

# The standard deviations of the features: a coefficient is given per unit and per standard deviation.
feature_sd <- function(terms) {
  by_columns <- terms$per_sd / terms$population
  by_features <- if (is.null(terms$new_column)) NA else terms$new_per_sd / terms$new_column
  scale <- ifelse(is.finite(by_columns), by_columns, by_features)
  if (length(scale)) scale else NA
}

# For each feature the rows' coefficients: the middle nine tenths, the middle half, and the median.
plot_spread <- function(names, q, gg) {
  label <- "added to a row's prediction, per standard deviation of the feature"
  title <- "How rows differ"
  subtitle <- "median, half, and nine tenths of the rows"
  if (gg) {
    d <- data.frame(name = factor(names, rev(names)), q)
    return(ggplot2::ggplot(d, ggplot2::aes(y = .data$name)) + ggplot2::geom_vline(xintercept = 0, colour = "grey40") +
      ggplot2::geom_segment(ggplot2::aes(x = .data$q05, xend = .data$q95, yend = .data$name), linewidth = 0.6, colour = "steelblue") +
      ggplot2::geom_segment(ggplot2::aes(x = .data$q25, xend = .data$q75, yend = .data$name), linewidth = 3, colour = "steelblue") +
      ggplot2::geom_point(ggplot2::aes(x = .data$median), size = 2.5, shape = 21, fill = "white") +
      ggplot2::labs(x = label, y = NULL, title = title, subtitle = subtitle))
  }
  old <- graphics::par(mar = c(5, 1 + 0.55 * max(nchar(names)), 4, 2))
  on.exit(graphics::par(old))
  at <- rev(seq_along(names))
  graphics::plot(range(q), c(0.5, length(names) + 0.5), type = "n", yaxt = "n", xlab = label, ylab = "", main = title)
  graphics::mtext(subtitle)
  graphics::axis(2, at, names, las = 1)
  graphics::abline(v = 0, col = "grey40")
  graphics::segments(q$q05, at, q$q95, at, col = "steelblue")
  graphics::segments(q$q25, at, q$q75, at, col = "steelblue", lwd = 6, lend = 1)
  graphics::points(q$median, at, pch = 21, bg = "white")
}

plot_curve <- function(d, x, y, error, mark, mark_label, labels, log, gg) {
  if (gg) {
    p <- ggplot2::ggplot(d, ggplot2::aes(.data[[x]], .data[[y]], colour = .data$what)) + ggplot2::geom_line() + ggplot2::geom_point()
    if (!is.null(error)) p <- p + ggplot2::geom_errorbar(ggplot2::aes(ymin = .data[[y]] - .data[[error]], ymax = .data[[y]] + .data[[error]]), width = 0.15, na.rm = TRUE)
    if (length(mark)) p <- p + ggplot2::geom_vline(xintercept = mark, linetype = "dotted")
    p <- p + ggplot2::labs(x = labels[1], y = labels[2], title = labels[3], subtitle = mark_label, colour = NULL) + ggplot2::theme(legend.position = if (length(unique(d$what)) > 1) "bottom" else "none")
    return(if (log) p + ggplot2::scale_x_log10() else p + ggplot2::scale_x_continuous(breaks = unique(d[[x]])))
  }
  kinds <- unique(d$what)
  high <- d[[y]] + (if (is.null(error)) 0 else ifelse(is.na(d[[error]]), 0, d[[error]]))
  low <- 2 * d[[y]] - high
  graphics::plot(d[[x]], d[[y]], type = "n", log = if (log) "x" else "", ylim = range(low, high), xlab = labels[1], ylab = labels[2], main = labels[3])
  graphics::mtext(mark_label)
  for (i in seq_along(kinds)) {
    own <- d$what == kinds[i]
    graphics::lines(d[[x]][own], d[[y]][own], type = "b", col = i, pch = 19)
    graphics::segments(d[[x]][own], low[own], d[[x]][own], high[own], col = i)
  }
  if (length(mark)) graphics::abline(v = mark, lty = 3)
  if (length(kinds) > 1) graphics::legend("topright", legend = kinds, col = seq_along(kinds), lty = 1, pch = 19, bty = "n")
}

plot_path <- function(x, gg) {
  p <- x$points
  d <- data.frame(k = p$k, error = p$train_rmse, se = NA_real_, what = "training")
  if (!is.null(p$validation_rmse)) d <- rbind(d, data.frame(k = p$k, error = p$validation_rmse, se = p$standard_error, what = "validation"))
  chosen <- if (isTRUE(x$chosen > 0)) x$chosen
  plot_curve(d, "k", "error", "se", chosen, if (length(chosen)) sprintf("within one standard error of the least error from k = %d on", chosen),
    c("k, features selected", x$measure, "Error by number of features"), FALSE, gg)
}

plot_gamma <- function(x, gg) {
  tried <- x$certificate$gamma_path
  if (is.null(tried) || nrow(tried) < 2) stop_with("no gamma was tried: one was given, or each feature's was learned")
  tried <- tried[order(tried$gamma), ]
  tried$what <- "validation"
  plot_curve(tried, "gamma", "rmse", NULL, x$certificate$gamma, sprintf("chosen: gamma = %s", signif(x$certificate$gamma, 3)),
    c("gamma", "error on validation entries", "Error by gamma"), TRUE, gg)
}

drawing <- function(x, type, gg) UseMethod("drawing")

drawing.optcomplete <- function(x, type, gg) {
  switch(type,
    features = {
      terms <- terms_of(x)
      scale <- feature_sd(terms)
      if (is.null(terms$spread$q05) || anyNA(scale)) {
        plot_bars(terms$name, if (is.null(terms$per_sd)) terms$coefficient else terms$per_sd, "added to a prediction, per standard deviation", "Selected features", gg)
      } else {
        plot_spread(terms$name, terms$spread[c("q05", "q25", "median", "q75", "q95")] * scale, gg)
      }
    },
    gap = plot_gap(x$trace, gg),
    gamma = plot_gamma(x, gg)
  )
}

drawing.best_subset <- function(x, type, gg) {
  switch(type,
    features = plot_bars(x$selected, unname(x$coefficients[x$selected]) * x$summary$sd, "coefficient, per standard deviation of the column", "Selected columns", gg),
    gap = plot_gap(x$trace, gg),
    gamma = plot_gamma(x, gg),
    residuals = {
      d <- data.frame(x = x$fitted.values, y = x$y - x$fitted.values)
      if (gg) {
        ggplot2::ggplot(d, ggplot2::aes(.data$x, .data$y)) + ggplot2::geom_hline(yintercept = 0, colour = "grey40") + ggplot2::geom_point() +
          ggplot2::labs(x = "fitted", y = "residual", title = "Residuals")
      } else {
        graphics::plot(d$x, d$y, xlab = "fitted", ylab = "residual", main = "Residuals")
        graphics::abline(h = 0, col = "grey40")
      }
    }
  )
}

drawing.optcomplete_path <- function(x, type, gg) plot_path(x, gg)

draw <- function(x, type) {
  gg <- requireNamespace("ggplot2", quietly = TRUE)
  picture <- drawing(x, type, gg)
  if (!gg) return(invisible(x))
  print(picture)
  invisible(picture)
}

plot.optcomplete <- function(x, type = c("features", "gap", "gamma"), ...) draw(x, match.arg(type))
plot.best_subset <- function(x, type = c("features", "residuals", "gap", "gamma"), ...) draw(x, match.arg(type))
plot.optcomplete_path <- function(x, ...) draw(x, "path")

autoplot.optcomplete <- function(object, type = c("features", "gap", "gamma"), ...) drawing(object, match.arg(type), TRUE)
autoplot.best_subset <- function(object, type = c("features", "residuals", "gap", "gamma"), ...) drawing(object, match.arg(type), TRUE)
autoplot.optcomplete_path <- function(object, ...) drawing(object, "path", TRUE)
