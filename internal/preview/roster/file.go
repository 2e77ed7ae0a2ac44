package roster

import (
	"encoding/hex"
	"fmt"
	"io"
	gomaps "maps"
	"slices"
	"strings"

	"github.com/zeebo/blake3"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The identity of a fleet file.
const (
	FileAPIVersion = causeway.Group + "/v1alpha1"
	FileKind       = "Fleet"
	// FormerFileAPIVersion is read as well.
	FormerFileAPIVersion = causeway.FormerGroup + "/v1alpha1"
)

// fleet is a fleet file. It has no field that could hold a credential.
type fleet struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Hub        string         `json:"hub,omitempty"` // facts of a hub without a Secret
	Clusters   []member       `json:"clusters"`
	Facts      map[string]api `json:"facts,omitempty"`
}

type member struct {
	Name             string            `json:"name"`
	Server           string            `json:"server"`
	Secret           string            `json:"secret,omitempty"`
	Project          string            `json:"project,omitempty"`
	Labels           map[string]string `json:"labels,omitempty"`
	Annotations      map[string]string `json:"annotations,omitempty"`
	Namespaces       []string          `json:"namespaces,omitempty"`
	ClusterResources bool              `json:"clusterResources,omitempty"`
	// Facts is a key of the file's facts, which clusters share.
	Facts string `json:"facts,omitempty"`
}

type api struct {
	KubeVersion string   `json:"kubeVersion"`
	APIVersions []string `json:"apiVersions,omitempty"`
}

// bookkeeping annotations may repeat a whole Secret.
var bookkeeping = []string{"kubectl.kubernetes.io/last-applied-configuration", v1alpha1.AnnotationTrackingID, v1alpha1.AnnotationRefresh}

const header = `# The clusters of a fleet, as previews need to know them: metadata and API versions, no credentials.
# Written by: causeway export fleet
`

// Write writes a fleet file: the same Roster gives the same text.
func (r Roster) Write(w io.Writer) error {
	out := fleet{APIVersion: FileAPIVersion, Kind: FileKind, Facts: map[string]api{}, Clusters: []member{}}
	out.Hub = out.keep(r.Hub)
	for _, c := range r.Clusters {
		annotations := gomaps.Clone(c.Annotations)
		for _, b := range bookkeeping {
			delete(annotations, b)
		}
		out.Clusters = append(out.Clusters, member{
			Name: c.Name, Server: withoutUser(c.Server), Secret: c.Secret, Project: c.Project, Labels: c.Labels, Annotations: annotations,
			Namespaces: c.Namespaces, ClusterResources: c.ClusterResources, Facts: out.keep(c.Facts),
		})
	}
	text, err := yaml.Marshal(out)
	if err != nil {
		return fmt.Errorf("cannot write the fleet file: %w", err)
	}
	_, err = io.WriteString(w, header+string(text))
	return err
}

// withoutUser takes a user and password out of an address.
func withoutUser(server string) string {
	scheme, rest, ok := strings.Cut(server, "://")
	if !ok {
		return server
	}
	host, tail, _ := strings.Cut(rest, "/")
	if i := strings.LastIndex(host, "@"); i >= 0 {
		host = host[i+1:]
	}
	if tail != "" {
		host += "/" + tail
	}
	return scheme + "://" + host
}

// keep stores facts once for all clusters that share them.
func (f *fleet) keep(facts gitops.Facts) string {
	if facts.KubeVersion == "" && len(facts.APIVersions) == 0 {
		return ""
	}
	sum := blake3.Sum256([]byte(facts.KubeVersion + "\n" + strings.Join(facts.APIVersions, "\n")))
	key := "v" + facts.KubeVersion + "-" + hex.EncodeToString(sum[:4])
	f.Facts[key] = api{facts.KubeVersion, facts.APIVersions}
	return key
}

// IsFile reports whether a text is a fleet file.
func IsFile(text []byte) bool {
	var id struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	return bounded.Unmarshal(text, &id) == nil && isFile(id.APIVersion, id.Kind)
}

func isFile(apiVersion, kind string) bool {
	return (apiVersion == FileAPIVersion || apiVersion == FormerFileAPIVersion) && kind == FileKind
}

// Parse reads a fleet file. Facts that it does not tell are the given ones.
func Parse(text []byte, fallback gitops.Facts) (Roster, error) {
	var f fleet
	if err := bounded.UnmarshalStrict(text, &f); err != nil {
		return Roster{}, gitops.Problemf(gitops.Invalid, "cannot read the fleet file: %w", err).Do("write it again with causeway export fleet")
	}
	if !isFile(f.APIVersion, f.Kind) {
		return Roster{}, gitops.Problemf(gitops.Invalid, "cannot read the fleet file: it is a %s %s, not a %s %s", f.APIVersion, f.Kind, FileAPIVersion, FileKind).
			Do("write one with causeway export fleet")
	}
	facts := func(key string) (gitops.Facts, error) {
		if key == "" {
			return fallback, nil
		}
		a, ok := f.Facts[key]
		if !ok {
			return fallback, gitops.Problemf(gitops.Invalid, "the fleet file has no facts %q", key).Do("write it again with causeway export fleet")
		}
		slices.Sort(a.APIVersions)
		return gitops.Facts{KubeVersion: a.KubeVersion, APIVersions: a.APIVersions}, nil
	}
	out := Roster{Former: f.APIVersion == FormerFileAPIVersion}
	var err error
	if out.Hub, err = facts(f.Hub); err != nil {
		return out, err
	}
	for i, m := range f.Clusters {
		if m.Name == "" || m.Server == "" {
			return out, gitops.Problemf(gitops.Invalid, "cluster %d of the fleet file has no name or no server", i+1)
		}
		c := Cluster{Cluster: gitops.Cluster{
			Name: m.Name, Server: m.Server, Secret: m.Secret, Source: m.Labels[causeway.LabelClusterSource], Project: m.Project, Labels: m.Labels, Annotations: m.Annotations,
			Namespaces: m.Namespaces, ClusterResources: m.ClusterResources,
		}}
		if c.Facts, err = facts(m.Facts); err != nil {
			return out, err
		}
		out.Clusters = append(out.Clusters, c)
	}
	return out, nil
}
