# Settings that are no arguments of their own name, and what there is for them.
everywhere <- c(
  "quiet" = "progress = FALSE",
  "config" = "settings are R: do.call(complete_matrix, settings)",
  "print-config" = "fit$settings",
  "log-times" = "for logs that are compared",
  "threads" = "an argument of the fit: questions to a model are short",
  "seed" = "an argument of the fit",
  "json" = "answers are objects",
  "output" = "answers are objects",
  "raw-names" = "names come as they are",
  "watch" = "of the command line: it stays until Ctrl-C",
  "memory" = "an argument of the fit, and of optcomplete_run for any verb"
)
reading <- c(
  "row-name" = "of files: give a frame, or read them with optcomplete_run", "column-name" = "as row-name", "value-name" = "as row-name",
  "delimiter" = "as row-name", "format" = "as row-name"
)
cluster <- c(
  "engine" = "of the command line, where the data of a cluster are", "engine-program" = "as engine", "engine-from" = "as engine",
  "engine-tasks" = "as engine", "engine-folder" = "as engine"
)
elsewhere <- list(
  fit = c("features" = "complete_matrix(features =)", "row-features" = "complete_matrix(row_features =)", "report" = "report()", "names" = "report(names =)"),
  path = c("features" = "path(features =)", "row-features" = "path(row_features =)", "plot" = "plot(path)"),
  regress = c(
    "target" = "y", "weight" = "weights", "skip" = "leave them out of x", "path" = "best_subset(k =) for each k", "bootstrap" = "of a path", "report" = "the command line's",
    "field" = "x is numbers, or a formula that makes them", "max-levels" = "as field", "separator" = "as field", "blank" = "as field"
  ),
  predict = character(0),
  complete = c(cluster, "shards" = "of the command line, for files too large for one"),
  recommend = c("row" = "rows", "all" = "rows = NULL", "top" = "n"),
  explain = character(0),
  report = character(0),
  evaluate = c(reading, cluster, "drift" = "of the command line, for jobs that go by its exit code"),
  "fold-in" = c(reading, "pairs" = "predict(fold_in())", "complete" = "completed(fold_in())", "skip-unknown" = "predict(fold_in(), skip_unknown =)")
)
functions <- c(
  fit = "complete_matrix", path = "path.default", regress = "best_subset.default", predict = "predict.optcomplete", complete = "completed",
  recommend = "recommend.optcomplete", explain = "explain.optcomplete", report = "report.optcomplete", evaluate = "evaluate.optcomplete", "fold-in" = "fold_in.optcomplete"
)

described <- function() {
  out <- processx::run(optcomplete_program(), c("serve", "--describe"))$stdout
  d <- jsonlite::fromJSON(out)$verbs
  structure(d$settings, names = d$verb)
}

test_that("every option of the command line is an argument", {
  needs_program()
  d <- described()
  for (verb in names(functions)) {
    arguments <- gsub("_", "-", names(formals(internal(functions[[verb]]))))
    missing <- setdiff(d[[verb]]$name, c(arguments, names(everywhere), names(elsewhere[[verb]])))
    expect_equal(missing, character(0), info = verb)
    expect_equal(setdiff(as.character(names(elsewhere[[verb]])), d[[verb]]$name), character(0), info = paste(verb, "has these no more"))
  }
})

test_that("no argument is without an option, and defaults are those of the program", {
  needs_program()
  d <- described()
  for (verb in c("fit", "path", "regress")) {
    arguments <- formals(internal(functions[[verb]]))
    for (name in setdiff(names(arguments), internal(".not_settings"))) {
      setting <- d[[verb]][d[[verb]]$name == gsub("_", "-", name), ]
      expect_equal(nrow(setting), 1, info = paste(verb, name))
      if (!is.na(setting$default)) expect_equal(tolower(as.character(arguments[[name]])), setting$default, info = paste(verb, name))
    }
  }
})

test_that("arguments reach the program", {
  needs_program()
  d <- frames()
  s <- complete_matrix(d$ratings, d$features, k = 2, model = "paper", gamma = 2.5, near_ties = 2, holdout = 0.25, seed = 9, always = "f1", refit = "ridge", time_limit = 60)$summary
  expect_equal(unlist(s[c("model", "gamma", "seed", "refit")]), c(model = "paper", gamma = "2.5", seed = "9", refit = "ridge"))
  expect_true("f1" %in% s$selected && s$holdout$entries > 0 && NROW(s$near_ties) <= 2)
})

test_that("a name that is no setting is refused with the one that was meant", {
  expect_error(complete_matrix(diag(3), diag(3), gama = 1), "did you mean \"gamma\"", class = "optcomplete_error")
  expect_error(best_subset(mpg ~ ., mtcars, max_node = 2, nodes_max = 3), "there is no setting", class = "optcomplete_error")
})

test_that("settings cross without a digit lost", {
  options_of <- internal("options_of")
  expect_equal(options_of(list(gamma = 0.1 + 0.2))$gamma, "0.30000000000000004")
  expect_equal(options_of(list(gamma = 0.1))$gamma, "0.1")
  expect_equal(options_of(list(max_nodes = 1e15))[["max-nodes"]], "1000000000000000")
  expect_equal(options_of(list(never = "Fox, Inc"))$never, list("Fox, Inc"))
  expect_equal(options_of(list(time_limit = as.difftime(2, units = "mins")))[["time-limit"]], "120.000000000s")
})
