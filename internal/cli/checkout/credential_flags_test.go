package checkout

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// TestCredentialsThatAreSaid: a person's own, nobody's in a job, and what is said where somebody says it.
func TestCredentialsThatAreSaid(t *testing.T) {
	cases := map[string]struct {
		reason, said, ci string
		logins           bool
		advice, err      string
		code             int
	}{
		"person":      {reason: "who is signed in already", logins: true, advice: "sign in to it as you would for git, docker or helm"},
		"job":         {reason: "it looks at what others propose", ci: "true", advice: "say what opens it with --credentials: user"},
		"named job":   {reason: "some runners say their name", ci: "woodpecker", advice: "say what opens it"},
		"no job":      {reason: "a variable that says so", ci: "FALSE", logins: true, advice: "sign in to it"},
		"job, said":   {reason: "a word counts before what is usual", said: "user", ci: "true", logins: true, advice: "sign in to it"},
		"person, not": {reason: "and here", said: "none", advice: "say what opens it"},
		"misspelt":    {reason: "it is no folder either", said: "usr", err: "write user, none, context:NAME, or where repository Secrets are", code: command.ExitUsage},
		"context":     {reason: "which was meant is told", said: "context:nowhere", err: "cannot use --credentials context:nowhere: ", code: command.ExitUsage},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CI", c.ci)
			t.Setenv("KUBECONFIG", "")
			t.Setenv("HOME", t.TempDir())
			got, err := Credentials(t.Context(), &command.Global{StateDir: t.TempDir()}, CredentialsFlag(c.said))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || command.ExitCode(err) != c.code {
					t.Errorf("%s: %v", c.reason, err)
				}
				return
			}
			if err != nil || got.Logins != c.logins || !strings.HasPrefix(got.Advice, c.advice) {
				t.Errorf("%s: %+v, %v", c.reason, got, err)
			}
		})
	}
}

// TestCredentialsThatSayNothing would be taken for the usual ones.
func TestCredentialsThatSayNothing(t *testing.T) {
	for text, want := range map[string]string{"": "it is empty; write user, none", "context:": "it names no context; write context:NAME", "none": "", "context:prod": ""} {
		var c CredentialsFlag
		err := c.Set(text)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) || err == nil && c.String() != text {
			t.Errorf("--credentials %q: %v, %v", text, c, err)
		}
	}
}

// TestFlagsOfACheckoutNeedOne: a hub has its own, and would not look at them.
func TestFlagsOfACheckoutNeedOne(t *testing.T) {
	for args, refused := range map[string]string{
		"": "", "--repo . --no-fetch": "", "--clusters x --root a": "", "--no-fetch": "--no-fetch", "--credentials none": "--credentials", "--mirror-dir x": "--mirror-dir", "--kube-version 1.30.0": "", "--mirror a=b": "",
	} {
		o, cmd := &Flags{Global: &command.Global{}}, &cobra.Command{}
		o.Register(cmd)
		cmd.Flags().String("revision", "", "")
		if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		err := o.Unused(cmd)
		if (err == nil) != (refused == "") || err != nil && (command.ExitCode(err) != command.ExitUsage || err.Error() != refused+" is for a checkout: add --repo, or leave it out") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestAddressesOfACheckout stand for it, or for a folder of it.
func TestAddressesOfACheckout(t *testing.T) {
	for text, want := range map[string][2]string{
		"https://git.example.com/a": {"https://git.example.com/a", "."}, "https://git.example.com/a=charts": {"https://git.example.com/a", "charts"}, "https://x/a?b=c=charts": {"https://x/a?b=c", "charts"},
	} {
		if url, folder := addressAndFolder(text); url != want[0] || folder != want[1] {
			t.Errorf("%s: %s is %s", text, folder, url)
		}
	}
}

// TestVersionsOfClustersAreChecked before anything is opened.
func TestVersionsOfClustersAreChecked(t *testing.T) {
	o := &Flags{Global: &command.Global{}, kubeVersion: "newest"}
	if _, err := o.Open(t.Context()); command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), `cannot use --kube-version "newest": write a version, as in `+DefaultKubeVersion) {
		t.Error(err)
	}
}

// TestMirrorFolderIsUsedWhereItIsThere, unless others are named.
func TestMirrorFolderIsUsedWhereItIsThere(t *testing.T) {
	s := clitest.NewStranger(t)
	o := &Flags{Global: &command.Global{}, Repo: filepath.Join(s.Dir, "charts")}
	if got, err := o.lockedFolders(); err != nil || len(got) > 0 {
		t.Errorf("there is none: %v, %v", got, err)
	}
	s.Write(s.Dir, map[string]string{DefaultMirror + "/lock": "x"})
	if got, err := o.lockedFolders(); err != nil || len(got) != 1 || !strings.HasSuffix(got[0], filepath.Join("checkout", ".causeway", "mirror")) {
		t.Errorf("it is at the top: %v, %v", got, err)
	}
	o.Locked = []string{s.Home}
	if got, err := o.lockedFolders(); err != nil || len(got) != 1 || got[0] != s.Home {
		t.Errorf("what is named counts alone: %v, %v", got, err)
	}
}

// TestClustersOfALocalFleet are described as the fleet would describe them, or it is told what is missing.
func TestClustersOfALocalFleet(t *testing.T) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: of-dev, labels: {argocd.argoproj.io/secret-type: cluster, environment: dev}}\nstringData: {name: dev, server: x}\n"
	fleet := func(spec string) string {
		return "apiVersion: " + local.APIVersion + "\nkind: LocalFleet\nmetadata: {name: f}\nspec:\n" + spec
	}
	cases := map[string]struct {
		reason, text string
		other        bool
		want, err    string
	}{
		"plain":       {reason: "from the file alone", text: fleet("  clusters: [{name: dev, hub: true}]\n"), want: "causeway.yaml:0"},
		"secret":      {reason: "or from a Secret beside it", text: fleet("  clusters: [{name: dev, hub: true, secret: dev.yaml}]\n"), want: "fleets/dev.yaml:1"},
		"missing":     {reason: "that has to be there", text: fleet("  clusters: [{name: dev, hub: true, secret: no.yaml}]\n"), err: "cannot read the Secret of cluster dev: "},
		"undescribed": {reason: "something else says what its clusters are", text: fleet("  undescribed: true\n  clusters: [{name: dev, hub: true}]\n"), err: "does not describe its clusters: something else does (undescribed: true), name that"},
		"JSON":        {reason: "JSON is YAML, too", text: `{"apiVersion": "` + local.APIVersion + `", "kind": "LocalFleet", "metadata": {"name": "f"}, "spec": {"clusters": [{"name": "dev", "hub": true}]}}`, want: "causeway.yaml:0"},
		"quoted":      {reason: "a word may have quotes", text: strings.Replace(fleet("  clusters: [{name: dev, hub: true}]\n"), "LocalFleet", `"LocalFleet"`, 1), want: "causeway.yaml:0"},
		"broken":      {reason: "what is wrong with it is told", text: fleet("  clusters: [{name: dev\n"), err: "causeway.yaml"},
		"within":      {reason: "a Secret may have the text of one", text: secret + "data:\n  file: |\n" + strings.ReplaceAll("    "+fleet("  undescribed: true\n"), "\n", "\n    "), other: true},
		"another":     {reason: "a Secret is no fleet", text: secret, other: true},
		"misspelt":    {reason: "nor is a kind of others", text: "apiVersion: example.com/v1\nkind: LocalFleet\n", other: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{"fleets/dev.yaml": {Data: []byte(secret)}}
			at := "fleets/causeway.yaml"
			all, is, err := localFleet(tree, at, []byte(c.text))
			if is == c.other || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("%s: %v, %v", c.reason, is, err)
			}
			if c.want != "" && (len(all) != 1 || all[0].Labels["argocd.argoproj.io/secret-type"] != "cluster" || !strings.HasSuffix(all[0].File, strings.Split(c.want, ":")[0])) {
				t.Errorf("%s: %+v", c.reason, all)
			}
		})
	}
}

// TestFormerFilesAreToldOnce, although a file is read for each side of a comparison.
func TestFormerFilesAreToldOnce(t *testing.T) {
	var errs bytes.Buffer
	tell := formerFile(&command.Global{Streams: command.Streams{Err: &errs}})
	for _, name := range []string{"a.yaml", "b.yaml", "a.yaml"} {
		tell(name)
	}
	if text := errs.String(); strings.Count(text, "a.yaml") != 1 || strings.Count(text, "\n") != 2 || !strings.Contains(text, "write "+local.APIVersion) {
		t.Errorf("it says %q", text)
	}
}

// TestFilesThatFlagsNameAreTold: which flag it was, and why.
func TestFilesThatFlagsNameAreTold(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"nowhere.yaml": "cannot read --metadata-schema: ", "a.yaml": "cannot use --metadata-schema: "} {
		o := &Flags{Global: &command.Global{}, Repo: dir, schemas: []string{filepath.Join(dir, name)}}
		if _, err := o.readSchemas(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	link := filepath.Join(clitest.NewStranger(t).Dir, "keys")
	if err := os.Symlink(filepath.Join(dir, "a.yaml"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := (&RenderingFlags{keyFile: link}).Load(""); err == nil || !strings.HasPrefix(err.Error(), "cannot use --sops-age-key-file: ") {
		t.Errorf("a link of a checkout chooses the keys: %v", err)
	}
}
