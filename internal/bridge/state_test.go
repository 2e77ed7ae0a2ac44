package bridge

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func pack(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

func TestOutput(t *testing.T) {
	state := pack(`{"outputs":{"id":{"value":"vpc-1"},"n":{"value":12345678901234567},"b":{"value":true},"o":{"value":{"a":[{"x":"deep"}]}},"null":{"value":null},"secret":{"value":"hunter2","sensitive":true}}}`)
	cases := map[string]struct {
		reason, output, want, problem string
		state                         []byte
	}{
		"Text":      {reason: "a text as it is", output: "id", want: "vpc-1"},
		"Number":    {reason: "a large number keeps its digits", output: "n", want: "12345678901234567"},
		"Boolean":   {reason: "a boolean", output: "b", want: "true"},
		"Object":    {reason: "an object as JSON", output: "o", want: `{"a":[{"x":"deep"}]}`},
		"Path":      {reason: "a path into an object and a list", output: "o.a.0.x", want: "deep"},
		"Null":      {reason: "nothing is no value", output: "null", problem: "no output"},
		"Sensitive": {reason: "it is marked", output: "secret", problem: "sensitive"},
		"Unknown":   {reason: "the nearest name", output: "ids", problem: `did you mean "id"`},
		"NotPacked": {reason: "a state that is not packed", output: "id", state: []byte("{}"), problem: "not packed"},
		"NotJSON":   {reason: "the text is not repeated", output: "id", state: pack("hunter2"), problem: "no JSON"},
		"Cut":       {reason: "a broken archive", output: "id", state: pack(strings.Repeat("x", 5000))[:20], problem: "goes on, and Secret tfstate-x-part-1 does not exist"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.state == nil {
				tc.state = state
			}
			got, err := output(tc.output, tc.state)
			if tc.problem == "" && (err != nil || got != tc.want) {
				t.Errorf("%s: %q, %v", tc.reason, got, err)
			}
			if tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// output reads an output of a state that is kept in these parts.
func output(name string, kept ...[]byte) (string, error) {
	s, err := ReadState(func(number int) ([]byte, error) {
		if number >= len(kept) {
			return nil, gitops.Problemf(gitops.NotFound, "Secret tfstate-x-part-%d does not exist", number)
		}
		return kept[number], nil
	})
	if err != nil {
		return "", err
	}
	return s.Output(name)
}

func TestStateInParts(t *testing.T) {
	whole := pack(`{"outputs":{"id":{"value":"vpc-1"}},"resources":"` + strings.Repeat("0123456789", 50) + `"}`)
	third := len(whole) / 3
	one, two, three := whole[:third], whole[third:2*third], whole[2*third:]
	other := pack(`{"serial":2,"outputs":{"id":{"value":"vpc-2"}}}`)
	for name, tc := range map[string]struct {
		reason string
		parts  [][]byte
		torn   bool
	}{
		"Whole":   {"one Secret has all of it", [][]byte{whole}, false},
		"Parts":   {"the parts are one archive", [][]byte{one, two, three}, false},
		"Older":   {"a part of a larger state that was is not read", [][]byte{one, two, three, other}, false},
		"Missing": {"Terraform did not write it yet", [][]byte{one, two}, true},
		"Mixed":   {"Terraform wrote the first part anew", [][]byte{other[:len(other)/2], two, three}, true},
		"Empty":   {"a part has nothing", [][]byte{one, {}, three}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := output("id", tc.parts...)
			if tc.torn != errors.Is(err, ErrTorn) || !tc.torn && (err != nil || got != "vpc-1") {
				t.Errorf("%s: %q, %v", tc.reason, got, err)
			}
			if missing(err) {
				t.Errorf("%s: an optional key would go: %v", tc.reason, err)
			}
		})
	}
	asked := 0
	endless := func(number int) ([]byte, error) { // an archive that never ends
		asked++
		if number == 0 {
			return whole[:third], nil
		}
		return bytes.Repeat([]byte{0}, 1), nil
	}
	if _, err := ReadState(endless); err == nil || asked > maxParts {
		t.Errorf("%d parts were asked for: %v", asked, err)
	}
}

// TestStateIsBounded has Secrets of some KiB that unpack to more.
func TestStateIsBounded(t *testing.T) {
	many := func(begin, item, end string, size int) []byte {
		return pack(begin + strings.Repeat(item+",", size/(len(item)+1)) + item + end)
	}
	for name, tc := range map[string]struct {
		reason   string
		state    []byte
		want     string
		problems []string
	}{
		"Large":   {"only outputs are kept", many(`{"resources":[`, "{}", `],"outputs":{"id":{"value":"vpc-1"}}}`, maxState*3/4), "vpc-1", nil},
		"Long":    {"a state is bounded", many(`{"resources":[`, "{}", `],"outputs":{"id":{"value":"vpc-1"}}}`, maxState), "", []string{"more than 16 MiB"}},
		"Values":  {"a value is bounded", many(`{"outputs":{"id":{"value":[`, "{}", `]}}}`, 2<<20), "", []string{"outputs of the Terraform state", "more than 32 MiB of memory"}},
		"Outputs": {"outputs are bounded", many(`{"outputs":{`, `"x":{"value":1}`, `}}`, 4<<20), "", []string{"more than 32 MiB of memory"}},
		"Twice":   {"the last ones count", pack(`{"outputs":{"id":{"value":1}},"outputs":{"id":{"value":"vpc-1"}}}`), "vpc-1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := output("id", tc.state)
			if got != tc.want || (err != nil) != (tc.problems != nil) {
				t.Errorf("%s: %q, %v", tc.reason, got, err)
			}
			for _, says := range tc.problems {
				if err != nil && !strings.Contains(err.Error(), says) {
					t.Errorf("%s: %v", tc.reason, err)
				}
			}
		})
	}
}

func TestStateSecret(t *testing.T) {
	for want, got := range map[string]string{
		"tfstate-default-network":     StateSecret("", "network", 0),
		"tfstate-prod-network-part-2": StateSecret("prod", "network", 2),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte(`{"outputs":{"a":{"value":1}}}`), "a.b")
	f.Fuzz(func(_ *testing.T, state []byte, name string) {
		_, _ = output(name, state)
		_, _ = output(name, pack(string(state)))
		packed := pack(string(state))
		_, _ = output(name, packed[:len(packed)/2], packed[len(packed)/2:])
	})
}
