package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestExitCodes(t *testing.T) {
	fleet := filepath.Join(t.TempDir(), "fleet.yaml")
	if err := os.WriteFile(fleet, []byte("kind: Pod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		args   []string
		code   int
		out    string
		errors []string
	}{
		"Help":             {reason: "help is an answer", args: []string{"--help"}, out: "Look:"},
		"NoArguments":      {reason: "so is help that nobody asked for", out: "Usage:"},
		"Version":          {reason: "the version that was built in", args: []string{"version"}, out: "causeway 1.2.3"},
		"VersionJSON":      {reason: "for machines too", args: []string{"version", "-o", "json"}, out: `"version": "1.2.3"`},
		"VersionOutput":    {reason: "an output that is not known", args: []string{"version", "-o", "xml"}, code: 2, errors: []string{"xml", "Usage:"}},
		"Completion":       {reason: "scripts for shells", args: []string{"completion", "bash"}, out: "bash completion"},
		"CompletionShell":  {reason: "a shell that is near", args: []string{"completion", "fisch"}, code: 2, errors: []string{`did you mean "fish"`}},
		"UnknownCommand":   {reason: "a command that is near", args: []string{"gte"}, code: 2, errors: []string{`no command "gte"`, `did you mean "get"`, "Usage:"}},
		"UnknownFlag":      {reason: "a flag that is near", args: []string{"get", "apps", "--outptu", "json"}, code: 2, errors: []string{"--outptu", `did you mean "--output"`, "causeway get --help"}},
		"UnknownKind":      {reason: "a kind that is near", args: []string{"get", "cluster_"}, code: 2, errors: []string{`did you mean "cluster"`}},
		"NoKind":           {reason: "kinds are named", args: []string{"get"}, code: 2, errors: []string{"apps, appsets, clusters, repos"}},
		"BadSelector":      {reason: "usage, too", args: []string{"get", "apps", "-l", "=="}, code: 2, errors: []string{"--selector"}},
		"NoHub":            {reason: "it says what to do", args: []string{"get", "apps"}, code: 1, errors: []string{"no local fleet", "causeway up", "--kubeconfig"}},
		"NoKubeconfig":     {reason: "a missing file is named", args: []string{"get", "apps", "--kubeconfig", "/nope"}, code: 1, errors: []string{"/nope"}},
		"NoApp":            {reason: "what is missing is named", args: []string{"tree"}, code: 2, errors: []string{"name an application"}},
		"TwoApps":          {reason: "what is too much is named", args: []string{"tree", "a", "b"}, code: 2, errors: []string{`"b"`}},
		"SyncNothing":      {reason: "a sync of nothing is a mistake", args: []string{"sync"}, code: 2, errors: []string{"name the applications"}},
		"SyncResource":     {reason: "the form is told", args: []string{"sync", "a", "--resource", "x"}, code: 2, errors: []string{"GROUP:KIND:NAME"}},
		"TerminateNobody":  {reason: "it is about one application", args: []string{"terminate"}, code: 2, errors: []string{"name the application"}},
		"SyncContrary":     {reason: "flags that exclude each other", args: []string{"sync", "a", "--wait", "--async"}, code: 2, errors: []string{"--async"}},
		"UpNothing":        {reason: "a fleet has to come from somewhere", args: []string{"up"}, code: 2, errors: []string{"--file", "--repo"}},
		"UpBoth":           {reason: "from one place", args: []string{"up", "--file", "a", "--repo", "b"}, code: 2, errors: []string{"both"}},
		"UpMissing":        {reason: "a missing file is no usage error", args: []string{"up", "--file", "nope.yaml"}, code: 1, errors: []string{"nope.yaml", "no such file"}},
		"UpOther":          {reason: "another kind of file", args: []string{"up", "--file", fleet}, code: 1, errors: []string{"LocalFleet"}},
		"UpEmpty":          {reason: "clusters without anything to do", args: []string{"up", "--repo", "."}, code: 2, errors: []string{"--apply"}},
		"UpMirror":         {reason: "the form is told", args: []string{"up", "--file", fleet, "--mirror", "x"}, code: 2, errors: []string{"URL=PATH"}},
		"UpMirrorMissing":  {reason: "the folder is named", args: []string{"up", "--file", fleet, "--mirror", "https://x.example.com=/nope"}, code: 1, errors: []string{"/nope"}},
		"DownNothing":      {reason: "nothing to stop", args: []string{"down"}, code: 1, errors: []string{"no local fleet"}},
		"RunLevel":         {reason: "levels are named", args: []string{"run", "--log-level", "loud"}, code: 2, errors: []string{"debug, info"}},
		"RunFormat":        {reason: "formats are named", args: []string{"run", "--log-format", "xml"}, code: 2, errors: []string{"text or json"}},
		"RenderMissing":    {reason: "a missing file is named", args: []string{"render", "--file", "nope.yaml"}, code: 1, errors: []string{"nope.yaml"}},
		"LogsContrary":     {reason: "flags that exclude each other", args: []string{"logs", "--engine", "--previous"}, code: 2, errors: []string{"both --engine and --previous"}},
		"MirrorContrary":   {reason: "flags that exclude each other", args: []string{"mirror", "--frozen", "--prune"}, code: 2, errors: []string{"more than one of --frozen, --verify and --prune"}},
		"LogsNothing":      {reason: "both ways are told", args: []string{"logs"}, code: 2, errors: []string{"--engine"}},
		"DoctorWithoutHub": {reason: "no hub is no failure", args: []string{"doctor"}, out: "git version"},
		"DoctorOutput":     {reason: "an output that is not known", args: []string{"doctor", "-o", "tree"}, code: 2, errors: []string{"tree"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, tc.args...)
			if got.code != tc.code || !strings.Contains(got.out, tc.out) {
				t.Errorf("%s: code %d, not %d; output %q, errors %q", tc.reason, got.code, tc.code, got.out, got.errors)
			}
			for _, part := range tc.errors {
				if !strings.Contains(got.errors, part) {
					t.Errorf("%s: %q is not in %q", tc.reason, part, got.errors)
				}
			}
		})
	}
}

func TestHelpIsComplete(t *testing.T) {
	every(newRoot(&command.Global{}), func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s has no line of help", cmd.CommandPath())
		}
		if strings.Contains(cmd.LocalFlags().FlagUsages(), "(default )") {
			t.Errorf("%s tells of a default that is empty", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no line of help", cmd.CommandPath(), f.Name)
			}
			if hasTwin(cmd, f) && !strings.Contains(f.Usage, "$"+variable(f.Name)) {
				t.Errorf("%s --%s does not tell its variable", cmd.CommandPath(), f.Name)
			}
		})
	})
}

func every(cmd *cobra.Command, see func(*cobra.Command)) {
	see(cmd)
	for _, child := range cmd.Commands() {
		every(child, see)
	}
}

func TestEnvironment(t *testing.T) {
	tests := map[string]struct {
		reason string
		args   []string
		env    map[string]string
		want   string
		err    string
	}{
		"Twin":    {reason: "a variable sets a flag", env: map[string]string{"CAUSEWAY_NAMESPACE": "a"}, want: "a"},
		"Flag":    {reason: "the flag wins", args: []string{"-n", "b"}, env: map[string]string{"CAUSEWAY_NAMESPACE": "a"}, want: "b"},
		"Request": {reason: "what is asked for once has no twin", env: map[string]string{"CAUSEWAY_DETACH": "true"}},
		"Wrong":   {reason: "the variable is named", env: map[string]string{"CAUSEWAY_TIMEOUT": "soon"}, err: "CAUSEWAY_TIMEOUT"},
		"Empty":   {reason: "an empty variable is none", env: map[string]string{"CAUSEWAY_TIMEOUT": ""}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g := &command.Global{}
			root := newRoot(g)
			up, _, err := root.Find([]string{"up"})
			if err != nil {
				t.Fatal(err)
			}
			if err := up.ParseFlags(tc.args); err != nil {
				t.Fatal(err)
			}
			err = environment(up, func(name string) (string, bool) { v, ok := tc.env[name]; return v, ok })
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || command.ExitCode(err) != command.ExitUsage {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if err != nil || g.Namespace != tc.want || up.Flags().Changed("detach") {
				t.Errorf("%s: namespace %q, %v", tc.reason, g.Namespace, err)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	known := []string{"addons", "platform-dev", "platform-prod", "workloads"}
	for wrong, want := range map[string]string{
		"adons": "addons", "platform-de": "platform-dev", "platform_prod": "platform-prod", "workload": "workloads", "postgres": "", "": "",
	} {
		got, near := gitops.Nearest(wrong, known)
		if near != (want != "") || near && got != want {
			t.Errorf("%q suggests %q (%v), not %q", wrong, got, near, want)
		}
	}
	if gitops.DidYouMean("x", nil) != "" {
		t.Error("nothing known is nothing suggested")
	}
}

// Who names too much is told what the command takes, and sees one that works.
func TestAnArgumentTooManyIsAnsweredWithAnExample(t *testing.T) {
	for _, tc := range []struct{ args, want []string }{
		{[]string{"why", "app", "shop"}, []string{`"shop"`, "causeway why takes APP | APP/KIND/NAME", "as in: causeway why shop"}},
		{[]string{"logs", "shop", "web-1"}, []string{`"web-1"`, "causeway logs takes APP | logs --engine", "as in: causeway logs shop"}},
		{[]string{"history", "shop", "3"}, []string{`"3"`, "causeway history takes APP [--diff A B]", "as in: causeway history shop"}},
		{[]string{"keys", "create", "ci", "cd"}, []string{`"cd"`, "causeway keys create takes NAME"}},
	} {
		got := invoke(t, tc.args...)
		for _, want := range tc.want {
			if got.code != command.ExitUsage || !strings.Contains(got.errors, want) {
				t.Errorf("causeway %s: %d, without %s:\n%s", strings.Join(tc.args, " "), got.code, want, got.errors)
			}
		}
	}
}
