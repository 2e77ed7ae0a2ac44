package flags

import (
	"strings"
	"testing"

	cliflag "k8s.io/component-base/cli/flag"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		reason string
		args   Args
		want   string // of --port
		err    string
	}{
		"Set":     {reason: "values arrive", args: Args{"port": "1", "name": "a=b,--c"}, want: "1"},
		"Default": {reason: "what is not given stays", args: Args{}, want: "0"},
		"Gone":    {reason: "a flag that upstream took away is named, with the component", args: Args{"gone": "1"}, err: "gone"},
		"Bad":     {reason: "a value of the wrong kind is named", args: Args{"port": "x"}, err: "port"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var sets cliflag.NamedFlagSets
			port := sets.FlagSet("one").Int("port", 0, "")
			text := sets.FlagSet("two").String("name", "", "")
			err := Parse("kube-x", sets, tc.args)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "kube-x") {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil || sets.FlagSet("one").Lookup("port").Value.String() != tc.want || *text != tc.args["name"] {
				t.Errorf("%s: got %d, %q, %v", tc.reason, *port, *text, err)
			}
		})
	}
}
