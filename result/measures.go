package result

// Measures tell how good predictions are in the terms of a loss other than squared
// errors.
type Measures struct {
	LogLoss     float64  `json:"log_loss,omitempty"`     // logistic: mean of −log of the probability given to what happened
	Brier       float64  `json:"brier,omitempty"`        // logistic: mean squared error of the probabilities
	AUC         *float64 `json:"auc,omitempty"`          // logistic: how often a yes has the larger probability than a no; nil without both
	AUCInterval *Range   `json:"auc_interval,omitempty"` // where it lies with 95 % confidence, over draws of rows; nil: not computed
	Deviance    float64  `json:"deviance,omitempty"`     // poisson: mean of twice the loss
	Huber       float64  `json:"huber_loss,omitempty"`   // huber: mean of the loss
	// ROC is, from the largest probability down, which part of the noes and which part of
	// the yeses has at least that: logistic, of the model's own scores.
	ROC []ROCPoint `json:"roc,omitempty"`
	// Explained is the part of the loss that the mean of the entries leaves and the
	// predictions do not: logistic and poisson.
	Explained float64 `json:"deviance_explained,omitempty"`
}

// ROCPoint is a point of a ROC curve.
type ROCPoint struct {
	No  float64 `json:"no"`  // part of the noes
	Yes float64 `json:"yes"` // part of the yeses
}

// Score is the number that predictions are compared by: the mean of the loss
// they were made by (of counts twice that, the deviance), or else the RMSE.
func (m *Metrics) Score() float64 {
	if m.Measures == nil {
		return m.RMSE
	}
	return m.LogLoss + m.Deviance + m.Huber // of which it has one
}
