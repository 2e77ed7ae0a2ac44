package generate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const artifact = "oci://registry.example.com/team/fleet"

// testArtifact is an unpacked OCI artifact.
func testArtifact() fakeRepos {
	return fakeRepos{artifact: dirTree{fstest.MapFS{
		"apps/web/cm.yaml":     {Data: []byte("{}")},
		"apps/db_1/cm.yaml":    {Data: []byte("{}")},
		"apps/.git/HEAD":       {Data: []byte("x")},
		"clusters/dev/c.yaml":  {Data: []byte("app: dev\nregion: {name: eu}\n")},
		"clusters/prod/c.json": {Data: []byte(`[{"app": "prod-1"}, {"app": "prod-2"}]`)},
		"broken.yaml":          {Data: []byte("a: [")},
	}}}
}

func oci(rest string) string {
	return "generators: [{oci: {repoURL: '" + artifact + "', revision: 1.x, " + rest + "}}]"
}

func TestOCI(t *testing.T) {
	for name, c := range map[string]expansion{
		"directories": {
			reason: "folders of the artifact, hidden ones left out",
			spec:   replaced(fast(oci("directories: [{path: apps/*}]")), "{{app}}", "{{path.basenameNormalized}}", "{{v}}", "{{path}} {{path[0]}}"),
			want:   []string{"db-1=apps/db_1 apps", "web=apps/web apps"},
		},
		"exclude": {
			reason: "what is excluded stays out",
			spec:   replaced(fast(oci("directories: [{path: apps/*}, {path: apps/db_1, exclude: true}]")), "{{app}}", "{{path.basename}}", "{{v}}", ""),
			want:   []string{"web="},
		},
		"files": {
			reason: "each map of a file is a set, by its path, too",
			spec:   replaced(fast(oci("files: [{path: 'clusters/*/c.*'}]")), "{{v}}", "{{path.basename}}/{{path.filename}}"),
			want:   []string{"dev=dev/c.yaml", "prod-1=prod/c.json", "prod-2=prod/c.json"},
		},
		"excluded files": {
			reason: "of files as well",
			spec:   replaced(fast(oci("files: [{path: 'clusters/*/c.*'}, {path: clusters/prod/*, exclude: true}]")), "{{v}}", "{{region.name}}"),
			want:   []string{"dev=eu"},
		},
		"values and prefix": {
			reason: "values see the path below its prefix",
			spec:   replaced(fast(oci("directories: [{path: apps/web}], pathParamPrefix: art, values: {at: '{{art.path}}'}")), "{{app}}", "{{art.path.basename}}", "{{v}}", "{{values.at}}"),
			want:   []string{"web=apps/web"},
		},
		"go templates": {
			reason: "parameters are nested there",
			spec:   replaced(goMode(oci("files: [{path: clusters/dev/c.yaml}]")), "{{.v}}", "{{.region.name}} {{index .path.segments 1}}"),
			want:   []string{"dev=eu dev"},
		},
		"matrix": {
			reason: "its address may come from another generator",
			spec:   replaced(fast("generators: [{matrix: {generators: [{list: {elements: [{name: fleet}]}}, {oci: {repoURL: 'oci://registry.example.com/team/{{name}}', revision: 1.x, directories: [{path: apps/web}]}}]}}]"), "{{app}}", "{{name}}-{{path.basename}}", "{{v}}", ""),
			want:   []string{"fleet-web="},
		},
		"nothing selected": {reason: "it is told as what it is", spec: fast(oci("values: {}")), wantErr: "the oci generator has neither directories nor files"},
		"broken file":      {reason: "the file is named", spec: fast(oci("files: [{path: broken.yaml}]")), wantErr: "broken.yaml"},
		"not there":        {reason: "so is the artifact", spec: replaced(fast(oci("directories: [{path: '*'}]")), "team/fleet", "team/gone"), wantErr: "oci://registry.example.com/team/gone of the oci generator"},
		"no project":       {reason: "credentials belong to projects", spec: replaced(fast(oci("directories: [{path: '*'}]")), "project: default", "project: nobody"), wantErr: "the oci generator needs it"},
	} {
		t.Run(name, func(t *testing.T) {
			c.checkWith(t, New(testFleet(), testArtifact(), fakeProjects{"default"}))
		})
	}
}

// TestReadsOfOCI holds that a new version of the artifact wakes the set.
func TestReadsOfOCI(t *testing.T) {
	exp, err := New(testFleet(), testArtifact(), anyProject{}).Applications(context.Background(),
		specSet(t, replaced(fast(oci("directories: [{path: apps/*}]")), "{{app}}", "{{path.basenameNormalized}}")))
	if err != nil {
		t.Fatal(err)
	}
	want := []gitops.SourceRef{{RepoURL: artifact, Revision: "1.x", Project: "default"}}
	if diff := cmp.Diff(want, exp.Reads.Repos); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
}

func TestOutageOfOCI(t *testing.T) {
	_, err := New(testFleet(), noRepos{}, anyProject{}).Applications(context.Background(), specSet(t, fast(oci("directories: [{path: apps/*}]"))))
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable || !strings.Contains(err.Error(), "registry.example.com") {
		t.Errorf("error %v, want a registry that does not answer: it is tried again", err)
	}
}

// noRepos do not answer.
type noRepos struct{}

func (noRepos) Snapshot(context.Context, gitops.SourceRef) (*gitops.Snapshot, error) {
	return nil, errors.New("dial tcp: connection refused")
}
