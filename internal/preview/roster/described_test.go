package roster

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// written is a Secret in a file.
func written(file string, s *corev1.Secret) declared.Cluster {
	return declared.Cluster{Secret: s, Place: declared.Place{File: file, Line: 3}}
}

func TestClustersThatAreDescribedAgain(t *testing.T) {
	known := Roster{Clusters: []Cluster{
		{Cluster: gitops.Cluster{Name: "dev", Server: "https://dev", Secret: "c-dev"}, Facts: gitops.Facts{KubeVersion: "1.33.0"}},
		{Cluster: gitops.Cluster{Name: "prod", Server: "https://prod", Secret: "c-prod"}, Facts: gitops.Facts{KubeVersion: "1.34.0"}},
	}}
	cases := map[string]struct {
		reason string
		with   gitops.Cluster
		want   []string
	}{
		"New":      {"one that nobody knows is put in order", gitops.Cluster{Name: "new", Server: "https://new", Secret: "c-new"}, []string{"dev https://dev 1.33.0", "new https://new 9.9.9", "prod https://prod 1.34.0"}},
		"Secret":   {"of the same Secret, though it has moved", gitops.Cluster{Name: "prod-2", Server: "https://moved", Secret: "c-prod"}, []string{"dev https://dev 1.33.0", "prod-2 https://moved 1.34.0"}},
		"Server":   {"of the same server, in another Secret", gitops.Cluster{Name: "prod-2", Server: "https://PROD/", Secret: "other"}, []string{"dev https://dev 1.33.0", "prod-2 https://PROD/ 1.34.0"}},
		"Name":     {"without a server, of the same name, whose address stays", gitops.Cluster{Name: "dev", Secret: "other"}, []string{"dev https://dev 1.33.0", "prod https://prod 1.34.0"}},
		"Nameless": {"without a name the name stays", gitops.Cluster{Server: "https://dev"}, []string{"dev https://dev 1.33.0", "prod https://prod 1.34.0"}},
		"Namesake": {"one of the same name and another server is another one", gitops.Cluster{Name: "dev", Server: "https://third", Secret: "z"}, []string{"dev https://dev 1.33.0", "prod https://prod 1.34.0", "dev https://third 9.9.9"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range known.With(Cluster{Cluster: tc.with, Facts: gitops.Facts{KubeVersion: "9.9.9"}}).Clusters {
				got = append(got, c.Name+" "+c.Server+" "+c.Facts.KubeVersion)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(known.Clusters) != 2 || known.Clusters[1].Name != "prod" || known.Clusters[1].Server != "https://prod" {
				t.Errorf("%s: the roster itself is another one: %+v", tc.reason, known.Clusters)
			}
		})
	}
}

func TestClustersOfFiles(t *testing.T) {
	prod, again := secretOf("prod", nil), secretOf("prod", map[string]string{"region": "eu"})
	prod.Labels[v1alpha1.LabelKubernetesVersion] = "v1.33"
	r, err := FromFiles([]declared.Cluster{written("a.yaml", prod), written("b.yaml", again), written("c.yaml", secretOf("dev", nil))}, gitops.Facts{KubeVersion: "1.30.0"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Clusters) != 2 || r.Clusters[1].Annotations["region"] != "eu" || r.Clusters[1].Origin.File != "b.yaml" {
		t.Errorf("of two that describe one the last one counts: %+v", r.Clusters)
	}
	if dev, two := r.Clusters[0].Facts.KubeVersion, r.Clusters[1].Facts.KubeVersion; dev != "1.30.0" || two != "1.33.0" {
		t.Errorf("versions are %q and %q; a label tells one, and completes it", dev, two)
	}
	nowhere := secretOf("nowhere", nil)
	delete(nowhere.StringData, "server")
	_, err = FromFiles([]declared.Cluster{written("a.yaml", nowhere)}, gitops.Facts{})
	if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "cluster Secret c-nowhere has no server (a.yaml:3); set stringData.server") {
		t.Errorf("of one without a server is told %v", err)
	}
	if _, err := FromSecrets([]*corev1.Secret{nowhere}, gitops.Facts{}); err == nil {
		t.Error("one of the hub without a server is taken")
	}
	known := Roster{Clusters: []Cluster{{Cluster: gitops.Cluster{Name: "nowhere", Server: "https://n"}}}}
	if got := known.Described([]declared.Cluster{written("a.yaml", nowhere)}, gitops.Facts{}); got.Check() != nil || len(got.Clusters) != 1 || got.Clusters[0].Secret != "c-nowhere" {
		t.Errorf("an address that something else fills in: %+v", got.Clusters)
	}
}

func TestFleetFilesKeepWhatPreviewsNeed(t *testing.T) {
	whole := Roster{Hub: gitops.Facts{KubeVersion: "1.36.0"}, Clusters: []Cluster{{
		Cluster: gitops.Cluster{
			Name: "prod", Server: "https://me:hush@prod.example.com/a", Secret: "c-prod", Project: "shop", Source: "src", Namespaces: []string{"a", "b"}, ClusterResources: true,
			Labels: map[string]string{"x": "", causeway.LabelClusterSource: "src"}, Annotations: map[string]string{"y": "1", v1alpha1.AnnotationRefresh: "hard", v1alpha1.AnnotationTrackingID: "z"},
		}, Facts: gitops.Facts{KubeVersion: "1.33.0", APIVersions: []string{"v1", "x.io/v1"}},
	}, {Cluster: gitops.Cluster{Name: "bare", Server: "https://bare"}}}}
	var out bytes.Buffer
	if err := whole.Write(&out); err != nil {
		t.Fatal(err)
	}
	back, err := Parse(out.Bytes(), gitops.Facts{KubeVersion: "1.30.0"})
	if err != nil {
		t.Fatal(err)
	}
	want := whole
	want.Clusters = []Cluster{whole.Clusters[0], whole.Clusters[1]}
	want.Clusters[0].Server, want.Clusters[0].Annotations = "https://prod.example.com/a", map[string]string{"y": "1"}
	want.Clusters[1].Facts = gitops.Facts{KubeVersion: "1.30.0"} // it is not known, so what the caller says holds
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if whole.Clusters[0].Annotations[v1alpha1.AnnotationRefresh] != "hard" {
		t.Error("writing a roster changes it")
	}
}

func TestFilesThatAreNoFleet(t *testing.T) {
	const head = "apiVersion: causeway.io/v1alpha1\nkind: Fleet\n"
	cases := map[string]struct {
		reason, text string
		file         bool
		want         string
	}{
		"Kind":      {"another kind", "apiVersion: causeway.io/v1alpha1\nkind: Cluster\n", false, "it is a causeway.io/v1alpha1 Cluster, not a causeway.io/v1alpha1 Fleet; write one with causeway export fleet"},
		"Broken":    {"no YAML", "kind: [", false, "cannot read the fleet file: "},
		"Hub":       {"facts of the hub that are not there", head + "hub: x\nclusters: []\n", true, `the fleet file has no facts "x"; write it again`},
		"Nameless":  {"which of them is told", head + "clusters: [{name: a, server: 'https://a'}, {server: 'https://b'}]\n", true, "cluster 2 of the fleet file has no name or no server"},
		"NoCluster": {"a fleet of no clusters is one", head + "clusters: []\n", true, ""},
		"Token":     {"there is no place for a credential", head + "clusters: [{name: a, server: 'https://a', token: hush}]\n", true, "token"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsFile([]byte(tc.text)); got != tc.file {
				t.Errorf("%s: taken for a fleet file: %t", tc.reason, got)
			}
			_, err := Parse([]byte(tc.text), gitops.Facts{})
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// What is wrong with a destination says what to do about it.
func TestDestinationsThatNameNoCluster(t *testing.T) {
	twins := Roster{Hub: gitops.Facts{KubeVersion: "1.36.0"}, Clusters: []Cluster{
		{Cluster: gitops.Cluster{Name: "twin", Server: "https://a", Secret: "one"}}, {Cluster: gitops.Cluster{Name: "twin", Server: "https://b", Secret: "two"}},
		{Cluster: gitops.Cluster{Name: "found", Server: "https://f", Secret: "three", Source: "src"}}, {Cluster: gitops.Cluster{Name: "found", Server: "https://g", Secret: "four"}},
	}}
	cases := map[string]struct {
		reason string
		to     v1alpha1.ApplicationDestination
		kind   gitops.ProblemKind
		want   string
	}{
		"Unknown": {"a name", v1alpha1.ApplicationDestination{Name: "x"}, gitops.NotFound, `no cluster is "x"; add its Secret to the clusters of the preview, or correct the destination`},
		"Server":  {"a server", v1alpha1.ApplicationDestination{Server: "https://x"}, gitops.NotFound, `no cluster is "https://x"`},
		"Both":    {"two ways to say it", v1alpha1.ApplicationDestination{Name: "a", Server: "b"}, gitops.Invalid, "remove one of destination.name and destination.server"},
		"None":    {"no way", v1alpha1.ApplicationDestination{Namespace: "n"}, gitops.Invalid, "the destination names no cluster; set destination.name or destination.server"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := twins.Resolve(tc.to)
			if !gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	if _, err := twins.Resolve(v1alpha1.ApplicationDestination{Name: "twin"}); err == nil || !strings.Contains(err.Error(), "one") || !strings.Contains(err.Error(), "two") {
		t.Errorf("of a name that two have both are told: %v", err)
	}
	if c, err := twins.Resolve(v1alpha1.ApplicationDestination{Name: "found"}); err != nil || c.Secret != "four" {
		t.Errorf("what somebody described comes before what was found: %q, %v", c.Secret, err)
	}
	if c, err := twins.Resolve(v1alpha1.ApplicationDestination{Name: gitops.HubName}); err != nil || !c.IsHub() || c.Facts.KubeVersion != "1.36.0" {
		t.Errorf("the hub without a Secret is %+v, %v", c, err)
	}
}
