package optcomplete

import (
	"optcomplete/formulation"
	"optcomplete/model"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Version is the version of the program, recorded in every model.
const Version = spec.Version

// The models of a matrix, for Settings.Model and ReadSettings.Model.
const (
	Full   = spec.Full
	Pooled = spec.Pooled
	Paper  = spec.Paper
)

// AutoRank lets the evidence choose the rank of the unnamed part of the remainder.
const AutoRank = formulation.AutoRank

// Model is a fitted model; see package model.
type Model = model.Model

// Problem is what is to be completed, and Settings say how; see package formulation.
type (
	Problem  = formulation.Problem
	Settings = formulation.Settings

	// Choice, Limits and Statistics are parts of Settings; see package spec.
	Choice     = spec.Choice
	Limits     = spec.Limits
	Statistics = spec.Statistics

	// SettingsError is returned for settings that cannot be meant, or that the
	// problem cannot meet.
	SettingsError = spec.Error

	// Division is how the time limit of a fit is divided.
	Division = selection.Division
)

// Method is a way to select features, with the settings that are its own, or, to compare
// with, one that selects nothing.
type (
	Method      = formulation.Method
	Certified   = formulation.Certified
	CutPlanes   = formulation.CutPlanes
	OptComplete = formulation.OptComplete
	SoftImpute  = formulation.SoftImpute
	IMC         = formulation.IMC
	EffectsOnly = formulation.EffectsOnly

	Sampling = formulation.Sampling
)

// Whether samples are searched before all data.
const (
	AutoSampling   = formulation.AutoSampling
	NoSampling     = formulation.NoSampling
	AlwaysSampling = formulation.AlwaysSampling
)

// A path over k; see package selection.
type (
	PathSettings  = selection.PathSettings
	PathPoint     = selection.PathPoint
	PathResult    = selection.PathResult
	PathValidated = selection.Validated
	Stability     = selection.Stability
)
