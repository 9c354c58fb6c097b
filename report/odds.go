package report

import (
	"fmt"

	"optcomplete/internal/chart"
)

// measure is the error that predictions are compared by: its key in the metrics of
// model.json, and its name.
func (m *Model) measure() (key, name string) {
	return m.s.Loss.Key(), m.s.Loss.Measure()
}

// odds says how well the model separates yes from no, or how much of the deviance of
// counts it explains; on is "train" or "holdout".
func (m *Model) odds(s *section, on string) {
	metrics := &m.s.Train
	if on == "holdout" {
		metrics = m.s.Holdout
	}
	if metrics.Measures == nil || !m.s.Loss.Linked() || metrics.Explained == 0 { // 0: the mean leaves nothing to explain
		return
	}
	if metrics.AUC == nil || metrics.AUCInterval == nil {
		s.say("The predictions explain %s of the deviance that the mean leaves.", m.num(on+".deviance_explained", percent))
		return
	}
	s.say("The predictions explain %s of the deviance that the mean leaves. A yes has the larger probability than a no in %s of all pairs of the two (AUC %s, 95 %% interval %s to %s); the mean squared error of the probabilities is %s (Brier score).",
		m.num(on+".deviance_explained", percent), m.num(on+".auc", percent), m.num(on+".auc", plain), m.num(on+".auc_interval.low", plain), m.num(on+".auc_interval.high", plain), m.num(on+".brier", plain))
	if len(metrics.ROC) == 0 {
		return
	}
	curve := chart.Series{Name: "ROC"}
	t := &table{Caption: "The ROC curve", Head: []string{"Part of the noes", "Part of the yeses"}}
	for i, p := range metrics.ROC {
		curve.Points = append(curve.Points, chart.Point{X: p.No, Y: p.Yes, Tip: fmt.Sprintf("%s of the yeses at %s of the noes", percent(p.Yes), percent(p.No))})
		t.row(m.num(at(on+".roc", i, "no"), percent), m.num(at(on+".roc", i, "yes"), percent))
	}
	c := &chart.Chart{Title: "How well the predictions separate yes from no", X: "part of the noes above", Y: "part of the yeses above", Same: true, PercentX: true, PercentY: true, Series: []chart.Series{curve},
		Description: "A line from the lower left to the upper right: for every probability, which part of the noes and which part of the yeses has at least that. The higher it runs above the dashed diagonal, the better."}
	s.figures(figure{Title: c.Title, SVG: drawn(c), Table: t, Caption: "For every probability from the largest down: which part of the noes and of the yeses has at least that. On the dashed line the predictions are no better than chance. Calibration, whether a probability of 70 % happens in 70 % of cases, is below with the residuals."})
}
