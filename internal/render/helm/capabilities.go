package helm

import (
	"slices"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// capabilities is what templates see as .Capabilities. Its fields are
// methods, so that a render records which facts of the cluster it used: a
// CRD that appears renders those charts again that asked for it, no others.
type capabilities struct {
	source   *source.Source
	versions []string // those of the application, instead of the cluster's
	kube     *common.KubeVersion
	lists    bool
}

func newCapabilities(s *source.Source, spec *v1alpha1.ApplicationSourceHelm, lists bool) (*capabilities, error) {
	c := &capabilities{source: s, versions: spec.APIVersions, lists: lists}
	if spec.KubeVersion == "" {
		return c, nil
	}
	kube, err := common.ParseKubeVersion(spec.KubeVersion)
	if err != nil {
		return nil, problem(s, "cannot read helm.kubeVersion %q: %w", spec.KubeVersion, err).Do("write a version such as 1.33.0")
	}
	c.kube = kube
	return c, nil
}

// KubeVersion is .Capabilities.KubeVersion.
func (c *capabilities) KubeVersion() *common.KubeVersion {
	if c.kube != nil {
		return c.kube
	}
	kube, err := common.ParseKubeVersion(c.source.Facts.KubeVersion())
	if err != nil {
		// A cluster that was never reached: Helm's own default.
		return &common.DefaultCapabilities.KubeVersion
	}
	return kube
}

// HelmVersion is .Capabilities.HelmVersion.
func (c *capabilities) HelmVersion() any { return common.DefaultCapabilities.HelmVersion }

// APIVersions is .Capabilities.APIVersions: the plain list for charts that
// do more than ask it for one version.
func (c *capabilities) APIVersions() any {
	if !c.lists {
		return &apiVersions{c}
	}
	if len(c.versions) > 0 {
		return append(slices.Clone(common.DefaultVersionSet), c.versions...)
	}
	return append(slices.Clone(common.DefaultVersionSet), c.source.Facts.APIVersions()...)
}

type apiVersions struct{ of *capabilities }

// Has is .Capabilities.APIVersions.Has. What Helm itself was built with is
// always there, as in helm template.
func (v *apiVersions) Has(version string) bool {
	if common.DefaultVersionSet.Has(version) {
		return true
	}
	if len(v.of.versions) > 0 {
		return slices.Contains(v.of.versions, version)
	}
	return v.of.source.Facts.Has(version)
}

// admit checks the chart's demand on the cluster's version.
func (c *capabilities) admit(s *source.Source, ch *chart.Chart) error {
	want := ch.Metadata.KubeVersion
	if want == "" {
		return nil
	}
	have := c.KubeVersion()
	if chartutil.IsCompatibleRange(want, have.String()) {
		return nil
	}
	return problem(s, "cannot render chart %s: it wants Kubernetes %s, the cluster has %s", ch.Name(), want, have.Version).
		Do("use another version of the chart, or set helm.kubeVersion")
}
