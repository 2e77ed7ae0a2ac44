// Package deviation holds conformance suites to a list: of the recorded cases, only those on the list may come out
// otherwise, each for a reason, and what is on the list has to. So the list tells every difference from Argo CD there
// is, and can only shrink. It is for tests.
package deviation

import (
	"fmt"
	"os"
	"testing"

	"sigs.k8s.io/yaml"
)

// File is where a package keeps its list. A package whose cases all agree has none.
const File = "testdata/deviations.yaml"

// group are cases that differ for one reason.
type group struct {
	Reason string   `json:"reason"`
	Cases  []string `json:"cases"`
	// Either holds when what else happens decides whether the cases differ.
	Either bool `json:"either"`
}

// Tally counts the cases of one suite against its list.
type Tally struct {
	listed       map[string]group
	met          map[string]bool
	agree, total int
}

// New reads the list of the package under test.
func New(t testing.TB) *Tally {
	t.Helper()
	data, err := os.ReadFile(File)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	tally, err := parse(data)
	if err != nil {
		t.Fatalf("%s: %v", File, err)
	}
	return tally
}

func parse(data []byte) (*Tally, error) {
	var groups []group
	if err := yaml.UnmarshalStrict(data, &groups); err != nil {
		return nil, err
	}
	tally := &Tally{listed: map[string]group{}, met: map[string]bool{}}
	for _, g := range groups {
		if g.Reason == "" {
			return nil, fmt.Errorf("%v have no reason", g.Cases)
		}
		for _, name := range g.Cases {
			if _, twice := tally.listed[name]; twice {
				return nil, fmt.Errorf("%s is listed twice", name)
			}
			tally.listed[name] = g
		}
	}
	return tally, nil
}

// Listed reports whether a case is known to come out otherwise.
func (c *Tally) Listed(name string) bool {
	_, listed := c.listed[name]
	return listed
}

// Case counts one case; difference is empty where it came out as recorded.
func (c *Tally) Case(t testing.TB, name, difference string) {
	t.Helper()
	c.total++
	c.met[name] = true
	g, listed := c.listed[name]
	switch {
	case difference == "" && listed && !g.Either:
		t.Errorf("%s agrees: take it off %s", name, File)
	case difference != "" && listed:
		fmt.Printf("%s differs: %s\n", name, g.Reason)
	case difference != "":
		t.Errorf("%s differs, and %s has no reason for it:\n%s", name, File, difference)
	}
	if difference == "" {
		c.agree++
	}
}

// Report prints how many cases agree.
func (c *Tally) Report(t testing.TB) {
	t.Helper()
	fmt.Printf("%s: %d of %d cases agree\n", t.Name(), c.agree, c.total)
}

// End is Report for a suite that was run as a whole: all that is listed has been met, and no case was lost.
// The number of cases that were recorded only goes up.
func (c *Tally) End(t testing.TB, recorded int) {
	t.Helper()
	c.Report(t)
	if c.total < recorded {
		t.Errorf("%d cases were read, fewer than the %d that there are", c.total, recorded)
	}
	for name := range c.listed {
		if !c.met[name] {
			t.Errorf("%s is on %s and is no case: take it off", name, File)
		}
	}
}
