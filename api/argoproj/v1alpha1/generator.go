package v1alpha1

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// ApplicationSetGenerator finds parameters; one of its fields is set, next to
// an optional selector on the parameters.
type ApplicationSetGenerator struct {
	// List gives the parameters in place.
	List *ListGenerator `json:"list,omitempty"`
	// Clusters gives parameters of each cluster.
	Clusters *ClusterGenerator `json:"clusters,omitempty"`
	// Git gives parameters of each folder or file of a repository.
	Git *GitGenerator `json:"git,omitempty"`
	// SCMProvider gives parameters of each repository of an organisation.
	SCMProvider *SCMProviderGenerator `json:"scmProvider,omitempty"`
	// ClusterDecisionResource gives parameters of the clusters that another object lists.
	ClusterDecisionResource *DuckTypeGenerator `json:"clusterDecisionResource,omitempty"`
	// PullRequest gives parameters of each open pull request.
	PullRequest *PullRequestGenerator `json:"pullRequest,omitempty"`
	// Matrix combines every result of one generator with every result of another.
	Matrix *MatrixGenerator `json:"matrix,omitempty"`
	// Merge lets results of later generators overwrite those of the first.
	Merge *MergeGenerator `json:"merge,omitempty"`
	// Selector keeps only the results whose parameters match.
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Plugin asks a web service for parameters.
	Plugin *PluginGenerator `json:"plugin,omitempty"`
	// OCI gives parameters of each folder or file of an OCI artifact.
	OCI *OCIGenerator `json:"oci,omitempty"`
}

// ApplicationSetNestedGenerator is a generator within a matrix or a merge. A
// matrix or merge within it is kept unparsed, because a schema cannot refer to
// itself: see NestedMatrix and NestedMerge.
type ApplicationSetNestedGenerator struct {
	// List gives the parameters in place.
	List *ListGenerator `json:"list,omitempty"`
	// Clusters gives parameters of each cluster.
	Clusters *ClusterGenerator `json:"clusters,omitempty"`
	// Git gives parameters of each folder or file of a repository.
	Git *GitGenerator `json:"git,omitempty"`
	// SCMProvider gives parameters of each repository of an organisation.
	SCMProvider *SCMProviderGenerator `json:"scmProvider,omitempty"`
	// ClusterDecisionResource gives parameters of the clusters that another object lists.
	ClusterDecisionResource *DuckTypeGenerator `json:"clusterDecisionResource,omitempty"`
	// PullRequest gives parameters of each open pull request.
	PullRequest *PullRequestGenerator `json:"pullRequest,omitempty"`
	// Matrix is a NestedMatrixGenerator.
	Matrix *apiextensionsv1.JSON `json:"matrix,omitempty"`
	// Merge is a NestedMergeGenerator.
	Merge *apiextensionsv1.JSON `json:"merge,omitempty"`
	// Selector keeps only the results whose parameters match.
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Plugin asks a web service for parameters.
	Plugin *PluginGenerator `json:"plugin,omitempty"`
	// OCI gives parameters of each folder or file of an OCI artifact.
	OCI *OCIGenerator `json:"oci,omitempty"`
}

// ApplicationSetTerminalGenerator is a generator within a matrix or merge that
// is itself within one: no further level is possible.
type ApplicationSetTerminalGenerator struct {
	// List gives the parameters in place.
	List *ListGenerator `json:"list,omitempty"`
	// Clusters gives parameters of each cluster.
	Clusters *ClusterGenerator `json:"clusters,omitempty"`
	// Git gives parameters of each folder or file of a repository.
	Git *GitGenerator `json:"git,omitempty"`
	// SCMProvider gives parameters of each repository of an organisation.
	SCMProvider *SCMProviderGenerator `json:"scmProvider,omitempty"`
	// ClusterDecisionResource gives parameters of the clusters that another object lists.
	ClusterDecisionResource *DuckTypeGenerator `json:"clusterDecisionResource,omitempty"`
	// PullRequest gives parameters of each open pull request.
	PullRequest *PullRequestGenerator `json:"pullRequest,omitempty"`
	// Plugin asks a web service for parameters.
	Plugin *PluginGenerator `json:"plugin,omitempty"`
	// OCI gives parameters of each folder or file of an OCI artifact.
	OCI *OCIGenerator `json:"oci,omitempty"`
	// Selector keeps only the results whose parameters match.
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// MatrixGenerator combines every result of one generator with every result of another.
type MatrixGenerator struct {
	// Generators are exactly two; the second may use parameters of the first.
	Generators []ApplicationSetNestedGenerator `json:"generators"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
}

// NestedMatrixGenerator is a matrix within a matrix or merge.
type NestedMatrixGenerator struct {
	// Generators are exactly two.
	Generators []ApplicationSetTerminalGenerator `json:"generators"`
}

// MergeGenerator lets results of later generators overwrite those of the first.
type MergeGenerator struct {
	// Generators are two or more; the first is the base.
	Generators []ApplicationSetNestedGenerator `json:"generators"`
	// MergeKeys are the parameters by which results belong together.
	MergeKeys []string `json:"mergeKeys"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
}

// NestedMergeGenerator is a merge within a matrix or merge.
type NestedMergeGenerator struct {
	// Generators are two or more; the first is the base.
	Generators []ApplicationSetTerminalGenerator `json:"generators"`
	// MergeKeys are the parameters by which results belong together.
	MergeKeys []string `json:"mergeKeys"`
}

// NestedMatrix parses the matrix within the generator, nil when there is none.
func (g ApplicationSetNestedGenerator) NestedMatrix() (*NestedMatrixGenerator, error) {
	if g.Matrix == nil {
		return nil, nil
	}
	out := &NestedMatrixGenerator{}
	if err := utiljson.Unmarshal(g.Matrix.Raw, out); err != nil {
		return nil, fmt.Errorf("cannot read nested matrix generator: %w", err)
	}
	return out, nil
}

// NestedMerge parses the merge within the generator, nil when there is none.
func (g ApplicationSetNestedGenerator) NestedMerge() (*NestedMergeGenerator, error) {
	if g.Merge == nil {
		return nil, nil
	}
	out := &NestedMergeGenerator{}
	if err := utiljson.Unmarshal(g.Merge.Raw, out); err != nil {
		return nil, fmt.Errorf("cannot read nested merge generator: %w", err)
	}
	return out, nil
}

// Nested returns the generator as one that may stand within a matrix or merge.
func (g ApplicationSetTerminalGenerator) Nested() ApplicationSetNestedGenerator {
	return ApplicationSetNestedGenerator{
		List:                    g.List,
		Clusters:                g.Clusters,
		Git:                     g.Git,
		SCMProvider:             g.SCMProvider,
		ClusterDecisionResource: g.ClusterDecisionResource,
		PullRequest:             g.PullRequest,
		Plugin:                  g.Plugin,
		OCI:                     g.OCI,
		Selector:                g.Selector,
	}
}
