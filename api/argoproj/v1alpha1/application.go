package v1alpha1

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DefaultProject is the project of an application that names none.
const DefaultProject = "default"

// DefaultRevisionHistoryLimit is how many past deployments a status keeps when
// the spec does not say.
const DefaultRevisionHistoryLimit = 10

// Application says what is to run where: manifests from one or more sources,
// in one namespace of one cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=applications,shortName=app;apps,scope=Namespaced
// +kubebuilder:metadata:labels="app.kubernetes.io/name=applications.argoproj.io"
// +kubebuilder:metadata:labels="app.kubernetes.io/part-of=causeway"
// +kubebuilder:printcolumn:name="Sync Status",type=string,JSONPath=".status.sync.status"
// +kubebuilder:printcolumn:name="Health Status",type=string,JSONPath=".status.health.status"
// +kubebuilder:printcolumn:name="Revision",type=string,priority=1,JSONPath=".status.sync.revision"
// +kubebuilder:printcolumn:name="Project",type=string,priority=1,JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Cluster",type=string,priority=1,JSONPath=".spec.destination.name"
// +kubebuilder:printcolumn:name="Server",type=string,priority=1,JSONPath=".spec.destination.server"
// +kubebuilder:printcolumn:name="Namespace",type=string,priority=1,JSONPath=".spec.destination.namespace"
type Application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec is the wanted state.
	Spec ApplicationSpec `json:"spec"`
	// Status is what the engine last saw and did.
	// +optional
	Status ApplicationStatus `json:"status,omitzero"`
	// Operation asks for a sync once; the engine takes the field away when it starts.
	Operation *Operation `json:"operation,omitempty"`

	// Outlined is why the engine keeps no more of the Application than an
	// outline; empty for a whole one. It is neither written nor read.
	Outlined string `json:"-"`
}

// ApplicationList is a list of Applications.
//
// +kubebuilder:object:root=true
type ApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	// Items are the applications.
	Items []Application `json:"items"`
}

// ApplicationSpec is the wanted state of an Application.
type ApplicationSpec struct {
	// Source is where the manifests come from; ignored when sources is set.
	Source *ApplicationSource `json:"source,omitempty"`
	// Destination is the cluster and namespace to deploy to.
	Destination ApplicationDestination `json:"destination"`
	// Project is the AppProject whose rules hold; empty means "default".
	Project string `json:"project"`
	// SyncPolicy says when and how to sync; absent means by hand.
	SyncPolicy *SyncPolicy `json:"syncPolicy,omitempty"`
	// IgnoreDifferences names fields whose drift does not count.
	IgnoreDifferences IgnoreDifferences `json:"ignoreDifferences,omitempty"`
	// Info is free information to show beside the application.
	Info []Info `json:"info,omitempty"`
	// RevisionHistoryLimit is how many past deployments the status keeps; 10 when absent.
	RevisionHistoryLimit *int64 `json:"revisionHistoryLimit,omitempty"`
	// Sources are several origins whose manifests are deployed together.
	Sources ApplicationSources `json:"sources,omitempty"`
	// SourceHydrator renders into a branch first and deploys from there.
	SourceHydrator *SourceHydrator `json:"sourceHydrator,omitempty"`
}

// ApplicationDestination names a cluster, by name or by API address, and the
// namespace for objects that carry none.
type ApplicationDestination struct {
	// Server is the address of the cluster's API; exclusive with name.
	Server string `json:"server,omitempty"`
	// Namespace is for namespaced objects whose manifest has no namespace.
	Namespace string `json:"namespace,omitempty"`
	// Name is the cluster's name; exclusive with server.
	Name string `json:"name,omitempty"`
}

// Info is a name and a value to show to people.
type Info struct {
	// Name of the information.
	Name string `json:"name"`
	// Value of the information; a URL is shown as a link.
	Value string `json:"value"`
}

// IgnoreDifferences are the fields whose drift does not count.
type IgnoreDifferences []ResourceIgnoreDifferences

// ResourceIgnoreDifferences selects objects and the fields of them that are
// left out of comparison.
type ResourceIgnoreDifferences struct {
	// Group of the objects; empty is the core group, "*" is any.
	Group string `json:"group,omitempty"`
	// Kind of the objects; "*" is any.
	Kind string `json:"kind"`
	// Name of the object; empty is any.
	Name string `json:"name,omitempty"`
	// Namespace of the objects; empty is any.
	Namespace string `json:"namespace,omitempty"`
	// JSONPointers are fields by RFC 6901.
	JSONPointers []string `json:"jsonPointers,omitempty"`
	// JQPathExpressions are fields by jq path expression.
	JQPathExpressions []string `json:"jqPathExpressions,omitempty"`
	// ManagedFieldsManagers are field managers whose fields are left to them.
	ManagedFieldsManagers []string `json:"managedFieldsManagers,omitempty"`
}

// HasMultipleSources reports whether sources is in use; it then hides source.
func (s ApplicationSpec) HasMultipleSources() bool { return len(s.Sources) > 0 }

// GetSources returns the sources in effect: sources, else the one source, else none.
func (s ApplicationSpec) GetSources() ApplicationSources {
	if s.HasMultipleSources() {
		return s.Sources
	}
	if s.Source == nil {
		return nil
	}
	return ApplicationSources{*s.Source}
}

// GetProject returns the project in effect.
func (s ApplicationSpec) GetProject() string {
	if s.Project == "" {
		return DefaultProject
	}
	return s.Project
}

// GetRevisionHistoryLimit returns how many past deployments the status keeps.
func (s ApplicationSpec) GetRevisionHistoryLimit() int {
	if s.RevisionHistoryLimit == nil {
		return DefaultRevisionHistoryLimit
	}
	return max(0, int(*s.RevisionHistoryLimit))
}

// Equal compares destinations as written, trailing slashes of the address aside.
func (d ApplicationDestination) Equal(o ApplicationDestination) bool {
	return d.Name == o.Name && d.Namespace == o.Namespace && strings.TrimRight(d.Server, "/") == strings.TrimRight(o.Server, "/")
}
