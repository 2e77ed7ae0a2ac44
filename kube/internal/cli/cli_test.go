package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, found := env[name]
		return value, found
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		reason string
		args   []string
		env    map[string]string
		nodes  int
		err    string
	}{
		"Default":     {reason: "no flag is needed", nodes: 1},
		"Flag":        {reason: "a flag counts", args: []string{"--nodes=3"}, nodes: 3},
		"Environment": {reason: "each flag has a twin", env: map[string]string{"CAUSEWAY_KUBE_NODES": "4"}, nodes: 4},
		"Both":        {reason: "the flag wins", args: []string{"--nodes=3"}, env: map[string]string{"CAUSEWAY_KUBE_NODES": "4"}, nodes: 3},
		"APIOnly":     {reason: "fewer parts are a matter of a flag", args: []string{"--api-only"}, nodes: 1},
		"BadTwin":     {reason: "the variable is named", env: map[string]string{"CAUSEWAY_KUBE_NODES": "x"}, err: "CAUSEWAY_KUBE_NODES"},
		"BadValue":    {reason: "values are checked at the start", args: []string{"--nodes=0"}, err: "0 nodes"},
		"Negative":    {reason: "nothing lasts less than no time", args: []string{"--stop-within=-1s"}, err: "--stop-within is a length of time"},
		"NegativeEnv": {reason: "wherever it is said", env: map[string]string{"CAUSEWAY_KUBE_READY_WITHIN": "-5m"}, err: "--ready-within is a length of time"},
		"Unknown":     {reason: "a typing error is named", args: []string{"--node=1"}, err: "--node"},
		"Argument":    {reason: "what is not understood is not ignored", args: []string{"up"}, err: `"up"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parse(tc.args, lookup(tc.env))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v, want %q in it", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil || got.options.Nodes != tc.nodes {
				t.Errorf("%s: got %d nodes, %v", tc.reason, got.options.Nodes, err)
			}
		})
	}
}

func TestStopWithin(t *testing.T) {
	for _, tc := range []struct {
		reason string
		args   []string
		want   time.Duration
	}{
		{"who stops it waits for seconds", nil, 10 * time.Second},
		{"a machine that is slow needs longer", []string{"--stop-within=4m"}, 4 * time.Minute},
	} {
		if got, err := parse(tc.args, lookup(nil)); err != nil || got.stopWithin != tc.want {
			t.Errorf("%s: got %s, %v, want %s", tc.reason, got.stopWithin, err, tc.want)
		}
	}
}

func TestHelpShowsEveryFlag(t *testing.T) {
	s, err := parse([]string{"--help"}, lookup(nil))
	if !errors.Is(err, pflag.ErrHelp) {
		t.Fatal(err)
	}
	var out bytes.Buffer
	help(&out, s)
	for _, set := range s.groups.FlagSets {
		set.VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(out.String(), "--"+f.Name) {
				t.Errorf("--help does not show --%s", f.Name)
			}
		})
	}
}

func TestRunExitCodes(t *testing.T) {
	tests := map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"Version": {args: []string{"--version"}, stdout: "Kubernetes v"},
		"Help":    {args: []string{"--help"}, stdout: "Cluster flags"},
		"Usage":   {args: []string{"--port=-1"}, code: 2, stderr: "port -1"},
		"Parent":  {args: []string{"--parent-fd=987"}, code: 1, stderr: "987"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(tc.args, &stdout, &stderr)
			if code != tc.code || !strings.Contains(stdout.String(), tc.stdout) || !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
			}
		})
	}
}
