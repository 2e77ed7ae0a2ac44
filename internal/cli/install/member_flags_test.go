package install

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// memberOf is the hub that a command line describes, and what is wrong with it.
func memberOf(t *testing.T, args ...string) (bootstrap.Hub, error) {
	t.Helper()
	flags := pflag.NewFlagSet("bootstrap", pflag.ContinueOnError)
	repository, member := &repositoryFlags{}, &memberFlags{}
	repository.register(flags)
	member.register(flags)
	if err := flags.Parse(append([]string{"--repo", "https://git.example.com/team/fleet"}, args...)); err != nil {
		t.Fatal(err)
	}
	return member.read("argocd", *repository)
}

// TestTheHubIsWhatFlagsAndFileSay: what is written in the command wins, and what the file alone has stays.
func TestTheHubIsWhatFlagsAndFileSay(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir, map[string]string{"plain.yaml": "labels: {enable_dns: true, environment: prod}\nannotations: {account: 0123}\n", "secret.yaml": "kind: Secret\nmetadata: {labels: {enable_dns: 'true'}}\n"})
	plain := filepath.Join(dir, "plain.yaml")
	none := map[string]string{}
	for name, c := range map[string]struct {
		reason              string
		args                []string
		labels, annotations map[string]string
	}{
		"Nothing":  {"nothing is asked for", nil, none, none},
		"File":     {"switches and numbers are as they are written", []string{"--metadata", plain}, map[string]string{"enable_dns": "true", "environment": "prod"}, map[string]string{"account": "0123"}},
		"Manifest": {"a Secret that was exported is taken, too", []string{"--metadata", filepath.Join(dir, "secret.yaml")}, map[string]string{"enable_dns": "true"}, none},
		"Over": {
			"the flag says more than the file", []string{"--metadata", plain, "--label", "environment=dev", "--annotation", "owner=a,b=c"},
			map[string]string{"enable_dns": "true", "environment": "dev"}, map[string]string{"account": "0123", "owner": "a,b=c"},
		},
		"Twice":   {"the last one wins", []string{"--label", "environment=dev", "--label", "environment=prod"}, map[string]string{"environment": "prod"}, none},
		"Unset":   {"a label may have no value", []string{"--label", "environment="}, map[string]string{"environment": ""}, none},
		"Unicode": {"an annotation is any text", []string{"--annotation", "owner=B\u00fcro \u6771\u4eac"}, none, map[string]string{"owner": "B\u00fcro \u6771\u4eac"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := memberOf(t, c.args...)
			if diff := cmp.Diff(bootstrap.Metadata{Labels: c.labels, Annotations: c.annotations}, got.Metadata); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}

// TestTheHubReadsItsFleet from the repository of the other flags, and each of its roots is made once.
func TestTheHubReadsItsFleet(t *testing.T) {
	got, err := memberOf(t, "--roots", "workloads,addons", "--roots", "workloads", "--revision", "v1", "--path", "fleets/eu", "--cluster", "eu")
	want := bootstrap.Hub{
		Namespace: "argocd", Name: "eu", URL: "https://git.example.com/team/fleet", Revision: "v1", Path: "fleets/eu", Roots: []string{"workloads", "addons"},
		Metadata: bootstrap.Metadata{Labels: map[string]string{}, Annotations: map[string]string{}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err = memberOf(t)
	if diff := cmp.Diff(bootstrap.RootNames(), got.Roots); err != nil || diff != "" || got.Name != "hub" || got.Revision != "" {
		t.Errorf("nothing is asked for: %+v, %v (-want +got):\n%s", got, err, diff)
	}
}

// TestHubsThatCannotBeMeant are refused by the flag or the file that is to be corrected.
func TestHubsThatCannotBeMeant(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir, map[string]string{"empty.yaml": "", "list.yaml": "- a\n", "null.yaml": "labels: {a: }\n", "label.yaml": "labels: {a: 'no label'}\n"})
	for name, c := range map[string]struct {
		reason string
		args   []string
		wrong  []string
	}{
		"Label":       {"a label has a value", []string{"--label", "prod"}, []string{"--label: ", `"prod"`, "KEY=VALUE"}},
		"Annotation":  {"an annotation has a key", []string{"--annotation", "=prod"}, []string{"--annotation: ", "KEY=VALUE"}},
		"Value":       {"the API server would refuse it", []string{"--label", "environment=not a label"}, []string{"label environment: ", "--metadata, --label or --annotation"}},
		"Long":        {"a label has 63 characters", []string{"--label", "a=" + strings.Repeat("b", 64)}, []string{"label a: "}},
		"Name":        {"it names a Secret", []string{"--cluster", "My Hub"}, []string{`cannot name the hub "My Hub"`, "correct --cluster"}},
		"Nameless":    {"it has a name", []string{"--cluster", ""}, []string{`cannot name the hub ""`, "correct --cluster"}},
		"NoFile":      {"it is not there", []string{"--metadata", filepath.Join(dir, "nope.yaml")}, []string{"cannot read --metadata: ", "nope.yaml"}},
		"EmptyFile":   {"it says nothing", []string{"--metadata", filepath.Join(dir, "empty.yaml")}, []string{"empty.yaml", "neither labels nor annotations"}},
		"ListFile":    {"it is something else", []string{"--metadata", filepath.Join(dir, "list.yaml")}, []string{"list.yaml", "write mappings labels and annotations"}},
		"NullFile":    {"nothing is no text", []string{"--metadata", filepath.Join(dir, "null.yaml")}, []string{"null.yaml", "the value of a is no text"}},
		"LabelOfFile": {"the file is to be corrected, not the flags", []string{"--metadata", filepath.Join(dir, "label.yaml"), "--label", "a=b"}, []string{"label.yaml", "correct the file"}},
		"Secret":      {"everybody can read annotations", []string{"--annotation", "addons_repo_url=https://me:hunter2@git.example.com/fleet"}, []string{"annotation addons_repo_url", "a repository Secret is the place for it"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := memberOf(t, c.args...)
			for _, want := range c.wrong {
				if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%s: got error %v, want one with %q", c.reason, err, want)
				}
			}
		})
	}
}
