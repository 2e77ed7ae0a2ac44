// Package v1alpha1 holds the API types of the group argoproj.io, version
// v1alpha1: Application, ApplicationSet and AppProject.
//
// They describe on the wire exactly what Argo CD reads and writes, so that a
// repository or a cluster that holds such objects needs no change. The package
// knows only the shape of the objects and the questions that follow from the
// shape alone (is it automated, does it have several sources); what an object
// leads to is decided by the stages of the engine.
//
// +groupName=argoproj.io
// +kubebuilder:object:generate=true
package v1alpha1

//go:generate sh ../../generate.sh
