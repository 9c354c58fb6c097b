# What runs, and what is left of it.

gone <- function(pid) {
  for (i in 1:100) {
    if (!suppressWarnings(ps_is_there(pid))) return(TRUE)
    Sys.sleep(0.1)
  }
  FALSE
}
ps_is_there <- function(pid) file.exists(file.path("/proc", pid)) && !any(grepl("^State:\\s+Z", readLines(file.path("/proc", pid, "status"))))

on_linux <- function() skip_if_not(dir.exists("/proc/self"), "there is no /proc to look at processes in")

r_code <- function(...) {
  prelude <- c(
    sprintf("library(optcomplete, lib.loc = \"%s\")", dirname(system.file(package = "optcomplete"))),
    sprintf("options(optcomplete.program = \"%s\")", optcomplete_program()),
    "set.seed(1); n <- 900; p <- 70",
    "a <- matrix(rnorm(n * 60), n); a[runif(length(a)) < 0.7] <- NA; b <- matrix(rnorm(60 * p), 60)"
  )
  f <- tempfile(fileext = ".R")
  writeLines(c(prelude, ...), f)
  processx::process$new(file.path(R.home("bin"), "Rscript"), f, stdout = "|", stderr = "|")
}

# Lines that a process prints, until one matches.
until <- function(process, pattern) {
  said <- character(0)
  for (i in 1:300) {
    process$poll_io(200)
    said <- c(said, process$read_output_lines())
    if (any(grepl(pattern, said))) return(said)
    if (!process$is_alive()) break
  }
  c(said, process$read_all_output_lines(), process$read_all_error_lines())
}

with_program <- function(program, code) {
  old <- options(optcomplete.program = unname(program))
  on.exit(options(old))
  code
}

shows <- "told <- FALSE; hear <- function(e) if (e$event == 'search' && !told && !is.null(e$cost)) { told <<- TRUE; cat('searching\\n') }"

test_that("an interrupt gives the best answer so far, with a bound that holds", {
  needs_program()
  on_linux()
  skip_on_os("windows")
  p <- r_code(shows, "fit <- complete_matrix(a, b, k = 12, model = 'paper', gamma = 10, progress = hear)", "cat(fit$certificate$status, fit$certificate$bound <= fit$certificate$cost, length(fit$selected), '\\n')", "cat(length(predict(fit, data.frame(row = 1, column = 1))), 'used\\n')")
  until(p, "searching")
  p$interrupt()
  said <- until(p, "used")
  expect_match(said[1], "^interrupted TRUE 12", info = paste(c(said, p$read_all_error()), collapse = "\n"))
  expect_match(said[2], "1 used")
})

test_that("a second interrupt ends the fit, whatever the program does", {
  needs_program()
  on_linux()
  p <- r_code(shows, "r <- tryCatch(complete_matrix(a, b, k = 12, model = 'paper', gamma = 10, progress = hear), interrupt = function(e) 'ended')", "cat(r, '\\n')")
  until(p, "searching")
  program <- scan(sprintf("/proc/%d/task/%d/children", p$get_pid(), p$get_pid()), quiet = TRUE)
  tools::pskill(program, 19) # stopped, so that it cannot answer
  p$interrupt()
  Sys.sleep(1)
  expect_true(p$is_alive())
  p$interrupt()
  said <- until(p, "ended")
  expect_match(said, "ended")
  expect_true(gone(program))
})

test_that("an error of the receiver of events ends the fit", {
  needs_program()
  on_linux()
  before <- model_folders()
  expect_error(small(progress = function(e) stop("no more")), "no more")
  expect_true(all(model_folders() %in% before))
})

test_that("no process and no folder is left when R ends, is killed, or forgets a fit", {
  needs_program()
  on_linux()
  before <- model_folders()
  p <- r_code("fit <- complete_matrix(a, b, k = 1, model = 'paper', gamma = 1)", "s <- optcomplete:::running(fit)$session; cat(s$process$get_pid(), s$folder, '\\n')", "Sys.sleep(60)")
  said <- strsplit(utils::tail(until(p, "optcomplete"), 1), " ")[[1]]
  expect_true(dir.exists(said[2]))
  p$kill()
  expect_true(gone(said[1]))
  expect_false(dir.exists(said[2]))
  p <- r_code("fit <- complete_matrix(a, b, k = 1, model = 'paper', gamma = 1)", "s <- optcomplete:::running(fit)$session; cat(s$process$get_pid(), s$folder, '\\n')")
  said <- strsplit(utils::tail(until(p, "optcomplete"), 1), " ")[[1]]
  expect_true(gone(said[1]))
  expect_false(dir.exists(said[2]))
  fit <- small()
  s <- internal("running")(fit)$session
  pid <- s$process$get_pid()
  rm(fit, s)
  invisible(gc())
  invisible(gc())
  expect_true(gone(pid))
  expect_true(all(model_folders() %in% before))
})

test_that("a fit can be used by forked processes", {
  needs_program()
  skip_on_os("windows")
  fit <- small()
  d <- frames()$ratings
  expected <- predict(fit, d)
  got <- parallel::mclapply(1:2, function(i) predict(fit, d), mc.cores = 2)
  expect_equal(got, list(expected, expected))
  expect_equal(predict(fit, d), expected)
})

test_that("a program that is not there, or is no program, is an error with a remedy", {
  skip_on_os("windows")
  expect_error(with_program("/nowhere/optcomplete", optcomplete_program()), "cannot be run", class = "optcomplete_error")
  expect_error(with_program(Sys.which("true"), complete_matrix(diag(3), diag(3), k = 1)), "check that it is the optcomplete program", class = "optcomplete_error")
  expect_error(with_program(Sys.which("echo"), complete_matrix(diag(3), diag(3), k = 1)), "not the protocol", class = "optcomplete_error")
  expect_error(install_optcomplete(tempdir()), "checkout", class = "optcomplete_error")
})

test_that("a process that is killed is an error, and the next question starts another", {
  needs_program()
  fit <- small()
  d <- data.frame(row = "r1", column = "c1")
  before <- predict(fit, d)
  internal("running")(fit)$session$process$kill()
  expect_equal(predict(fit, d), before)
})

test_that("events go to a function, the log to standard error, and nothing is shown unasked", {
  needs_program()
  events <- character(0)
  expect_silent(small(progress = function(e) events <<- c(events, e$event)))
  expect_true(all(c("log", "search") %in% events))
  suppressMessages(expect_message(small(progress = "log"), "select 2 of 8 features"))
  expect_error(small(progress = 3), "progress", class = "optcomplete_error")
})

test_that("progress is one line, which is cleared in the end", {
  needs_program()
  on_linux()
  p <- r_code("fit <- suppressWarnings(complete_matrix(a, b, k = 6, model = 'paper', gamma = 10, max_nodes = 1, progress = TRUE))", "cat('done\\n')")
  p$wait(60000)
  said <- p$read_all_error()
  expect_match(said, "^\\r[[:alpha:]]")
  expect_match(said, "\r +\r$")
  expect_no_match(said, "\n")
})
