"""Arguments of the estimators: made from the table of settings by `make settings`, not by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._path import Path

Progress = bool | str | Callable[[dict[str, Any]], None] | None
Seconds = str | float | timedelta | None
Names = str | Sequence[str] | None


class CompleterSettings:
    """Settings of a MatrixCompleter.

    Parameters
    ----------
    k : int | None
        How many features to select. Takes [1, ∞).
    threads : int | None
        Processors to use; 0 means all. The result is the same for any number. Takes [0, 4096].
    seed : int, default 1
        Seed of everything random: the same seed gives the same result. Takes [0, ∞).
    engine : str | None
        Spark Connect server (sc://HOST:PORT) on whose cluster large readings are computed, to the
        same bits; or exec:COMMAND, which starts workers elsewhere.
    engine_program : str | None
        This program, built for the executors' system; without it the one that runs is sent.
    engine_from : int | None
        Readings of fewer entries than this stay on this machine; 0 means those that are faster
        there, by counted work. Takes [0, ∞).
    engine_tasks : int | None
        Tasks that a reading is divided into; 0 means four for each core. Takes [0, ∞).
    dry_run : bool, default False
        Fit nothing: estimate how long the fit would take with engine, and on this machine.
    engine_folder : str | None
        Folder that the executors see too, for data that are in memory; without it they are written
        to a temporary one, and sent.
    id : str | None
        Field of the feature table that holds the column's id; without it, the first.
    drop_unknown : bool, default False
        Leave out entries whose column has no features.
    min_entries : int | None
        Leave out rows with fewer entries. Takes [0, ∞).
    missing : Names
        Values that mean unknown, such as NA.
    row_name : str | None
        Header of the column that holds the row's id.
    column_name : str | None
        Header of the column that holds the column's id.
    value_name : str | None
        Header of the column that holds the value.
    delimiter : str | None
        Character between fields, a space, or tab; by default found from the first line.
    format : str | None
        Format of the ratings; by default found from name and content. Takes csv, tsv, mtx, netflix,
        movielens, wide, parquet, pack, arrow, npy, npz.
    weight : str | None
        Column of the ratings that weighs the entries, positive numbers: an entry of weight 2 counts
        as if it were there twice, one of weight 0 is left out; without it, one called weight or
        weights; none: no column.
    duplicates : str, default 'error'
        What to do with two entries for the same row and column. Takes error, first, last, mean.
    features_config : str | None
        Features.yaml: how to read the fields.
    field : Names
        How to read one field, such as NAME:type=list,separator=|,group=true; the keys are type,
        transform, bins, separator, max-levels, parts, format, blank, missing, group, always, never.
    group : Names
        Field whose features are selected together, as one of the k; of two-sided models all
        products with them.
    max_levels : int, default 20
        How many levels of a text field become features; rarer ones are pooled. Of one field: field
        NAME:max-levels=N. Takes [1, ∞).
    separator : str | None
        Character between the parts of a list, such as |.
    blank : Names
        Words that mean blank in the features, such as unknown.
    scale : str, default 'zscore'
        Zscore scales features to mean 0 and standard deviation 1 inside (default none for paper).
        Takes zscore, none.
    keep : bool, default False
        Keep constant features and duplicates.
    complete_features : bool, default False
        Leave out columns with a blank in a field that is used.
    always : Names
        Features that must be selected.
    at_most : Names
        How many features of a field may be selected, such as Genre=2; several with commas, of
        fields that share no feature.
    never : Names
        Features that must not be selected.
    model : str, default 'full'
        What a value is made of (see: optcomplete help models). Takes full, pooled, paper.
    gamma : float | str, default 'auto'
        Weight of the fit against the size of the coefficients; auto learns one for each feature, by
        how much rows differ on it (see: optcomplete help gamma). Takes auto, [1e-100, 1e100].
    gamma0 : float | None
        Gamma of the population's coefficients, in pooled, in parts of that of a row's own; 0 is the
        root of the number of rows. Takes [0, 1e100].
    gamma_factor : float | str, default 'auto'
        Multiplies what gamma auto learned for the features: it changes which features are selected
        and what is proven; a smaller one is easier to prove; auto is 1. Takes auto, [1e-6, 1e6].
    column_shrinkage : float | None
        A column with this many entries has its effect shrunk half-way to 0; 0 estimates the number
        from the data. Takes [0, ∞).
    refit : str, default 'auto'
        How to fit the rows of the model paper once the features are selected: ls (least squares),
        ridge (with gamma) or prior (learned from all rows); auto is ls. Other models have a learned
        prior. Takes auto, ls, ridge, prior.
    loss : str, default 'auto'
        What to minimise: squared errors; logistic for yes/no; poisson for counts; huber for values
        with outliers. auto is logistic if all values are 0 or 1, yes or no, and nothing is asked
        for that only squared errors have; else squared. Takes auto, squared, logistic, poisson,
        huber.
    delta : float | None
        With loss huber: errors beyond this count linearly, not squared; 0 takes 1.345 robust
        standard deviations of what row and column effects leave. Takes [0, ∞).
    nonnegative : Names
        Features whose coefficients must not be negative, in any row; all means every feature.
    clip : str, default 'auto'
        Auto keeps predictions in the range of the training values (not in paper), none does not.
        Takes auto, none.
    gap : float | None
        Stop when the relative gap is this small; 0 continues until the optimum is proven. Takes [0,
        1).
    sampling : str, default 'auto'
        Search samples of the rows first, then prove on all entries; auto does so from 2 million
        entries on. Takes auto, never, always.
    checkpoint : str | None
        Folder for intermediate results: after a kill, the same command resumes and gives the same
        result to the bit.
    warm_start : str | None
        Saved model whose selection is tried first.
    memory : str | None
        Memory to use, such as 2G; without it, half of what the machine has, at most three quarters
        of what is free. A pack that does not fit is read from its file.
    time_limit : Seconds
        Limit for the whole command, which then ends with the best selection so far: at most a third
        goes to choosing gamma, and time is kept to fit every row; exit code 3 if it ends a search.
        Without it, see search_time; none: search until the proof. Takes none, [0, ∞).
    search_time : Seconds, default '60s'
        Without time_limit, end the search after so much time with the best selection so far and its
        bound, but not before 20 passes; earlier where a proof would take over ten times the time
        spent and the bound has stalled. Takes (0, ∞).
    max_nodes : int | None
        Most nodes for each search; 0: no limit. Takes [0, ∞).
    near_ties : int, default 5
        How many other good selections to report. Takes [0, 100000].
    method : str, default 'certified'
        How to select: certified, or the paper's cutplanes (proven) or optcomplete (on samples, not
        proven); or a baseline that selects nothing: softimpute, imc or effects. Takes certified,
        cutplanes, optcomplete, softimpute, imc, effects.
    residual_rank : int | str, default '0'
        Also use the other features, shrunken, up to this many unnamed traits learned from the
        values, and up to as many from which columns occur together, as far as the data support them
        (auto: without a limit); 0: none of this. For softimpute and imc: the rank; 0 is auto.
    solver : str, default 'embedded'
        MILP solver of cutplanes and optcomplete (see: optcomplete solvers). Takes embedded, highs,
        cbc, glpk, scip, gurobi.
    solver_path : str | None
        Program of solver, or the folder that holds it; otherwise it is looked for in bin under
        $OPTCOMPLETE_SOLVERS, then in PATH.
    sample_rows : int, default 100
        Rows in each sample of optcomplete (g0). Takes [1, ∞).
    sample_constant : float, default 1
        Size of optcomplete's samples of columns (c); larger takes more. Takes (0, ∞).
    certify : bool, default False
        After optcomplete, prove its selection with the certified method.
    save_cuts : str | None
        File to write the cuts of cutplanes or optcomplete to, for optcomplete master.
    effects : str, default 'shrunk'
        With row_features: what a prediction has besides products: effects of rows and columns,
        shrunk by learned variances, or nothing (the paper's form). Takes shrunk, none.
    constants : bool, default False
        With effects none: add the constant 1 to either side, for the terms of one side alone.
    heredity : str, default 'none'
        With effects none: select a product only with both of its one-sided terms (strong), with one
        of them (weak), or freely (none). Takes strong, weak, none.
    holdout : float | None
        Fraction of the entries to hold out and score on, such as 0.2. Takes [0, 1).
    holdout_rows : float | None
        With row_features: fraction of the rows to hold out whole and score on, as rows never seen,
        such as 0.2. Takes [0, 1).
    holdout_columns : float | None
        With row_features: fraction of the columns to hold out whole and score on, as columns never
        seen, such as 0.2. Takes [0, 1).
    split : str, default 'random'
        Which entries holdout keeps aside: random ones, or the latest (time), so that what is fitted
        to the past is scored on the future. Takes random, time.
    time_name : str | None
        Column of the times in the ratings' header, for split time; without it, one called
        timestamp, time, date, datetime or day.
    proof : str | None
        File to write a proof of the bound to, for optcomplete verify; compressed if it ends in
        .zst.
    progress : Progress
        Whether to show progress: None does on a terminal and in a notebook, "log" prints the log of
        the command line, and a function is called with each event.
    """

    _verb = "fit"

    def __init__(
        self,
        k: int | None = None,
        *,
        threads: int | None = None,
        seed: int = 1,
        engine: str | None = None,
        engine_program: str | None = None,
        engine_from: int | None = None,
        engine_tasks: int | None = None,
        dry_run: bool = False,
        engine_folder: str | None = None,
        id: str | None = None,
        drop_unknown: bool = False,
        min_entries: int | None = None,
        missing: Names = None,
        row_name: str | None = None,
        column_name: str | None = None,
        value_name: str | None = None,
        delimiter: str | None = None,
        format: str | None = None,
        weight: str | None = None,
        duplicates: str = "error",
        features_config: str | None = None,
        field: Names = None,
        group: Names = None,
        max_levels: int = 20,
        separator: str | None = None,
        blank: Names = None,
        scale: str = "zscore",
        keep: bool = False,
        complete_features: bool = False,
        always: Names = None,
        at_most: Names = None,
        never: Names = None,
        model: str = "full",
        gamma: float | str = "auto",
        gamma0: float | None = None,
        gamma_factor: float | str = "auto",
        column_shrinkage: float | None = None,
        refit: str = "auto",
        loss: str = "auto",
        delta: float | None = None,
        nonnegative: Names = None,
        clip: str = "auto",
        gap: float | None = None,
        sampling: str = "auto",
        checkpoint: str | None = None,
        warm_start: str | None = None,
        memory: str | None = None,
        time_limit: Seconds = None,
        search_time: Seconds = "60s",
        max_nodes: int | None = None,
        near_ties: int = 5,
        method: str = "certified",
        residual_rank: int | str = "0",
        solver: str = "embedded",
        solver_path: str | None = None,
        sample_rows: int = 100,
        sample_constant: float = 1,
        certify: bool = False,
        save_cuts: str | None = None,
        effects: str = "shrunk",
        constants: bool = False,
        heredity: str = "none",
        holdout: float | None = None,
        holdout_rows: float | None = None,
        holdout_columns: float | None = None,
        split: str = "random",
        time_name: str | None = None,
        proof: str | None = None,
        progress: Progress = None,
    ) -> None:
        self.k = k
        self.threads = threads
        self.seed = seed
        self.engine = engine
        self.engine_program = engine_program
        self.engine_from = engine_from
        self.engine_tasks = engine_tasks
        self.dry_run = dry_run
        self.engine_folder = engine_folder
        self.id = id
        self.drop_unknown = drop_unknown
        self.min_entries = min_entries
        self.missing = missing
        self.row_name = row_name
        self.column_name = column_name
        self.value_name = value_name
        self.delimiter = delimiter
        self.format = format
        self.weight = weight
        self.duplicates = duplicates
        self.features_config = features_config
        self.field = field
        self.group = group
        self.max_levels = max_levels
        self.separator = separator
        self.blank = blank
        self.scale = scale
        self.keep = keep
        self.complete_features = complete_features
        self.always = always
        self.at_most = at_most
        self.never = never
        self.model = model
        self.gamma = gamma
        self.gamma0 = gamma0
        self.gamma_factor = gamma_factor
        self.column_shrinkage = column_shrinkage
        self.refit = refit
        self.loss = loss
        self.delta = delta
        self.nonnegative = nonnegative
        self.clip = clip
        self.gap = gap
        self.sampling = sampling
        self.checkpoint = checkpoint
        self.warm_start = warm_start
        self.memory = memory
        self.time_limit = time_limit
        self.search_time = search_time
        self.max_nodes = max_nodes
        self.near_ties = near_ties
        self.method = method
        self.residual_rank = residual_rank
        self.solver = solver
        self.solver_path = solver_path
        self.sample_rows = sample_rows
        self.sample_constant = sample_constant
        self.certify = certify
        self.save_cuts = save_cuts
        self.effects = effects
        self.constants = constants
        self.heredity = heredity
        self.holdout = holdout
        self.holdout_rows = holdout_rows
        self.holdout_columns = holdout_columns
        self.split = split
        self.time_name = time_name
        self.proof = proof
        self.progress = progress


def path(
    ratings: Any,
    features: Any = None,
    k_max: int | None = None,
    *,
    threads: int | None = None,
    seed: int = 1,
    engine: str | None = None,
    engine_program: str | None = None,
    engine_from: int | None = None,
    engine_tasks: int | None = None,
    engine_folder: str | None = None,
    id: str | None = None,
    drop_unknown: bool = False,
    min_entries: int | None = None,
    missing: Names = None,
    row_name: str | None = None,
    column_name: str | None = None,
    value_name: str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
    weight: str | None = None,
    duplicates: str = "error",
    features_config: str | None = None,
    field: Names = None,
    group: Names = None,
    max_levels: int = 20,
    separator: str | None = None,
    blank: Names = None,
    scale: str = "zscore",
    keep: bool = False,
    complete_features: bool = False,
    always: Names = None,
    at_most: Names = None,
    never: Names = None,
    model: str = "full",
    gamma: float | str = "auto",
    gamma0: float | None = None,
    gamma_factor: float | str = "auto",
    column_shrinkage: float | None = None,
    refit: str = "auto",
    loss: str = "auto",
    delta: float | None = None,
    nonnegative: Names = None,
    clip: str = "auto",
    gap: float | None = None,
    memory: str | None = None,
    time_limit: Seconds = None,
    search_time: Seconds = "2m",
    max_nodes: int | None = None,
    near_ties: int = 5,
    effects: str = "shrunk",
    constants: bool = False,
    heredity: str = "none",
    split: str = "random",
    time_name: str | None = None,
    folds: int = 5,
    repeats: int | None = None,
    bootstrap: int | None = None,
    bootstrap_k: int | None = None,
    raw_names: bool = False,
    progress: Progress = None,
    row_features: Any = None,
    sample_weight: Any = None,
) -> Path:
    """Select 1, 2, … k_max features in one run, validate each number, and choose one.

    Parameters
    ----------
    ratings : frame, sparse matrix, array or path
        The observed entries, as MatrixCompleter.fit takes them.
    features : frame, array or path
        What is known about the columns.
    k_max : int | None
        Select 1, 2, … up to this many features. Takes [1, ∞).
    threads : int | None
        Processors to use; 0 means all. The result is the same for any number. Takes [0, 4096].
    seed : int, default 1
        Seed of everything random: the same seed gives the same result. Takes [0, ∞).
    engine : str | None
        Spark Connect server (sc://HOST:PORT) on whose cluster large readings are computed, to the
        same bits; or exec:COMMAND, which starts workers elsewhere.
    engine_program : str | None
        This program, built for the executors' system; without it the one that runs is sent.
    engine_from : int | None
        Readings of fewer entries than this stay on this machine; 0 means those that are faster
        there, by counted work. Takes [0, ∞).
    engine_tasks : int | None
        Tasks that a reading is divided into; 0 means four for each core. Takes [0, ∞).
    engine_folder : str | None
        Folder that the executors see too, for data that are in memory; without it they are written
        to a temporary one, and sent.
    id : str | None
        Field of the feature table that holds the column's id; without it, the first.
    drop_unknown : bool, default False
        Leave out entries whose column has no features.
    min_entries : int | None
        Leave out rows with fewer entries. Takes [0, ∞).
    missing : Names
        Values that mean unknown, such as NA.
    row_name : str | None
        Header of the column that holds the row's id.
    column_name : str | None
        Header of the column that holds the column's id.
    value_name : str | None
        Header of the column that holds the value.
    delimiter : str | None
        Character between fields, a space, or tab; by default found from the first line.
    format : str | None
        Format of the ratings; by default found from name and content. Takes csv, tsv, mtx, netflix,
        movielens, wide, parquet, pack, arrow, npy, npz.
    weight : str | None
        Column of the ratings that weighs the entries, positive numbers: an entry of weight 2 counts
        as if it were there twice, one of weight 0 is left out; without it, one called weight or
        weights; none: no column.
    duplicates : str, default 'error'
        What to do with two entries for the same row and column. Takes error, first, last, mean.
    features_config : str | None
        Features.yaml: how to read the fields.
    field : Names
        How to read one field, such as NAME:type=list,separator=|,group=true; the keys are type,
        transform, bins, separator, max-levels, parts, format, blank, missing, group, always, never.
    group : Names
        Field whose features are selected together, as one of the k; of two-sided models all
        products with them.
    max_levels : int, default 20
        How many levels of a text field become features; rarer ones are pooled. Of one field: field
        NAME:max-levels=N. Takes [1, ∞).
    separator : str | None
        Character between the parts of a list, such as |.
    blank : Names
        Words that mean blank in the features, such as unknown.
    scale : str, default 'zscore'
        Zscore scales features to mean 0 and standard deviation 1 inside (default none for paper).
        Takes zscore, none.
    keep : bool, default False
        Keep constant features and duplicates.
    complete_features : bool, default False
        Leave out columns with a blank in a field that is used.
    always : Names
        Features that must be selected.
    at_most : Names
        How many features of a field may be selected, such as Genre=2; several with commas, of
        fields that share no feature.
    never : Names
        Features that must not be selected.
    model : str, default 'full'
        What a value is made of (see: optcomplete help models). Takes full, pooled, paper.
    gamma : float | str, default 'auto'
        Weight of the fit against the size of the coefficients; auto learns one for each feature, by
        how much rows differ on it (see: optcomplete help gamma). Takes auto, [1e-100, 1e100].
    gamma0 : float | None
        Gamma of the population's coefficients, in pooled, in parts of that of a row's own; 0 is the
        root of the number of rows. Takes [0, 1e100].
    gamma_factor : float | str, default 'auto'
        Multiplies what gamma auto learned for the features: it changes which features are selected
        and what is proven; a smaller one is easier to prove; auto is 1. Takes auto, [1e-6, 1e6].
    column_shrinkage : float | None
        A column with this many entries has its effect shrunk half-way to 0; 0 estimates the number
        from the data. Takes [0, ∞).
    refit : str, default 'auto'
        How to fit the rows of the model paper once the features are selected: ls (least squares),
        ridge (with gamma) or prior (learned from all rows); auto is ls. Other models have a learned
        prior. Takes auto, ls, ridge, prior.
    loss : str, default 'auto'
        What to minimise: squared errors; logistic for yes/no; poisson for counts; huber for values
        with outliers. auto is logistic if all values are 0 or 1, yes or no, and nothing is asked
        for that only squared errors have; else squared. Takes auto, squared, logistic, poisson,
        huber.
    delta : float | None
        With loss huber: errors beyond this count linearly, not squared; 0 takes 1.345 robust
        standard deviations of what row and column effects leave. Takes [0, ∞).
    nonnegative : Names
        Features whose coefficients must not be negative, in any row; all means every feature.
    clip : str, default 'auto'
        Auto keeps predictions in the range of the training values (not in paper), none does not.
        Takes auto, none.
    gap : float | None
        Stop when the relative gap is this small; 0 continues until the optimum is proven. Takes [0,
        1).
    memory : str | None
        Memory that what is read may take, such as 2G; without it, half of what the machine has, at
        most three quarters of what is free. A file that takes more is refused.
    time_limit : Seconds
        Limit for the whole command, divided between choosing gamma, the curve, the folds, the
        resamples and the proofs; exit code 3 if it ends a search. Without it, see search_time;
        none: search until the proof. Takes none, [0, ∞).
    search_time : Seconds, default '2m'
        Without time_limit, end the proofs after so much time, each k with its best selection so far
        and its bound. Takes (0, ∞).
    max_nodes : int | None
        Most nodes for the proof of each k; 0: no limit. Without it and without time_limit, the
        proofs end once 80 million entries were evaluated for all k, by 40 passes for each at least.
        Takes [0, ∞).
    near_ties : int, default 5
        How many other good selections to report. Takes [0, 100000].
    effects : str, default 'shrunk'
        With row_features: what a prediction has besides products: effects of rows and columns,
        shrunk by learned variances, or nothing (the paper's form). Takes shrunk, none.
    constants : bool, default False
        With effects none: add the constant 1 to either side, for the terms of one side alone.
    heredity : str, default 'none'
        With effects none: select a product only with both of its one-sided terms (strong), with one
        of them (weak), or freely (none). Takes strong, weak, none.
    split : str, default 'random'
        Folds of random entries, or of time: each is scored by what was fitted to the entries before
        it. Takes random, time.
    time_name : str | None
        Column of the times in the ratings' header, for split time; without it, one called
        timestamp, time, date, datetime or day.
    folds : int, default 5
        Folds of the cross-validation. Takes [2, 10000].
    repeats : int | None
        Instead of folds, this many hold-outs of a fifth of the entries. Takes [0, 1000000].
    bootstrap : int | None
        Resample the rows this many times to see how stable the selection is, such as 50. Takes [0,
        1000000].
    bootstrap_k : int | None
        Features to select on resamples; 0 means the one-standard-error choice. Takes [0, ∞).
    raw_names : bool, default False
        In CSV, write ids and names as they are; without it, those that a spreadsheet would run as a
        formula (= + - @ first, and no number) get an apostrophe.
    progress : Progress
        Whether to show progress: None does on a terminal and in a notebook, "log" prints the log of
        the command line, and a function is called with each event.
    row_features : frame or path
        What is known about the rows, to select products.
    sample_weight : array
        How much each entry counts, as MatrixCompleter.fit takes it.
    """
    from ._path import run

    options = {
        "k_max": k_max,
        "threads": threads,
        "seed": seed,
        "engine": engine,
        "engine_program": engine_program,
        "engine_from": engine_from,
        "engine_tasks": engine_tasks,
        "engine_folder": engine_folder,
        "id": id,
        "drop_unknown": drop_unknown,
        "min_entries": min_entries,
        "missing": missing,
        "row_name": row_name,
        "column_name": column_name,
        "value_name": value_name,
        "delimiter": delimiter,
        "format": format,
        "weight": weight,
        "duplicates": duplicates,
        "features_config": features_config,
        "field": field,
        "group": group,
        "max_levels": max_levels,
        "separator": separator,
        "blank": blank,
        "scale": scale,
        "keep": keep,
        "complete_features": complete_features,
        "always": always,
        "at_most": at_most,
        "never": never,
        "model": model,
        "gamma": gamma,
        "gamma0": gamma0,
        "gamma_factor": gamma_factor,
        "column_shrinkage": column_shrinkage,
        "refit": refit,
        "loss": loss,
        "delta": delta,
        "nonnegative": nonnegative,
        "clip": clip,
        "gap": gap,
        "memory": memory,
        "time_limit": time_limit,
        "search_time": search_time,
        "max_nodes": max_nodes,
        "near_ties": near_ties,
        "effects": effects,
        "constants": constants,
        "heredity": heredity,
        "split": split,
        "time_name": time_name,
        "folds": folds,
        "repeats": repeats,
        "bootstrap": bootstrap,
        "bootstrap_k": bootstrap_k,
        "raw_names": raw_names,
    }
    return run(ratings, features, row_features, sample_weight, options, progress)


class SubsetSettings:
    """Settings of a BestSubset.

    Parameters
    ----------
    k : int | None
        How many features to select. Takes [1, ∞).
    threads : int | None
        Processors to use; 0 means all. The result is the same for any number. Takes [0, 4096].
    seed : int, default 1
        Seed of everything random: the same seed gives the same result. Takes [0, ∞).
    always : Names
        Features that must be selected.
    at_most : Names
        How many features of a field may be selected, such as Genre=2; several with commas, of
        fields that share no feature.
    never : Names
        Features that must not be selected.
    gamma : float | str, default 'auto'
        Weight of the fit against the size of the coefficients, for columns with sum of squares n;
        auto chooses it by cross-validation. Takes auto, [1e-100, 1e100].
    refit : str, default 'auto'
        How to fit the coefficients once the features are selected: ls (least squares) or ridge
        (with gamma); auto is ls for squared errors without nonnegative, else ridge. Takes auto, ls,
        ridge.
    loss : str, default 'auto'
        What to minimise: squared errors; logistic for yes/no; poisson for counts; huber for values
        with outliers. auto is logistic if all values are 0 or 1, yes or no, else squared. Takes
        auto, squared, logistic, poisson, huber.
    delta : float | None
        With loss huber: errors beyond this count linearly, not squared; 0 takes 1.345 robust
        standard deviations of the target. Takes [0, ∞).
    weight : str | None
        Column with the weight of each row, a positive number: a weight of 2 counts as the row
        twice; without it rows count alike, whatever columns are called.
    nonnegative : Names
        Features whose coefficients must not be negative; all means every feature.
    no_intercept : bool, default False
        Fit no intercept.
    gap : float | None
        Stop when the relative gap is this small; 0 continues until the optimum is proven. Takes [0,
        1).
    checkpoint : str | None
        Folder for intermediate results: after a kill, the same command resumes and gives the same
        result to the bit.
    memory : str | None
        Memory that what is read may take, such as 2G; without it, half of what the machine has, at
        most three quarters of what is free. A file that takes more is refused.
    time_limit : Seconds
        Limit for the whole command, which then ends with the best selection so far: at most a third
        goes to choosing gamma; exit code 3 if it ends a search. Without it, see search_time; none:
        search until the proof. Takes none, [0, ∞).
    search_time : Seconds, default '10s'
        Without time_limit, end the search after so much time with the best selection so far and its
        bound, but not before 20 passes; earlier where a proof would take over ten times the time
        spent and the bound has stalled. Takes (0, ∞).
    max_nodes : int | None
        Most nodes for each search; 0: no limit. Takes [0, ∞).
    near_ties : int, default 5
        How many other good selections to report. Takes [0, 100000].
    holdout : float | None
        Fraction of the rows to hold out and score on, such as 0.2. Takes [0, 1).
    folds : int, default 5
        Folds of the cross-validation of gamma, and of every k of a path. Takes [2, 10000].
    progress : Progress
        Whether to show progress: None does on a terminal and in a notebook, "log" prints the log of
        the command line, and a function is called with each event.
    """

    _verb = "regress"

    def __init__(
        self,
        k: int | None = None,
        *,
        threads: int | None = None,
        seed: int = 1,
        always: Names = None,
        at_most: Names = None,
        never: Names = None,
        gamma: float | str = "auto",
        refit: str = "auto",
        loss: str = "auto",
        delta: float | None = None,
        weight: str | None = None,
        nonnegative: Names = None,
        no_intercept: bool = False,
        gap: float | None = None,
        checkpoint: str | None = None,
        memory: str | None = None,
        time_limit: Seconds = None,
        search_time: Seconds = "10s",
        max_nodes: int | None = None,
        near_ties: int = 5,
        holdout: float | None = None,
        folds: int = 5,
        progress: Progress = None,
    ) -> None:
        self.k = k
        self.threads = threads
        self.seed = seed
        self.always = always
        self.at_most = at_most
        self.never = never
        self.gamma = gamma
        self.refit = refit
        self.loss = loss
        self.delta = delta
        self.weight = weight
        self.nonnegative = nonnegative
        self.no_intercept = no_intercept
        self.gap = gap
        self.checkpoint = checkpoint
        self.memory = memory
        self.time_limit = time_limit
        self.search_time = search_time
        self.max_nodes = max_nodes
        self.near_ties = near_ties
        self.holdout = holdout
        self.folds = folds
        self.progress = progress

