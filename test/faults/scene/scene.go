package scene

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Scene is what one seed deploys.
type Scene struct {
	Seed      uint64
	Namespace string
	// Control is the namespace of Applications.
	Control string
	RepoURL string
	// Roots are the folders of the applications that are created by hand; the
	// others come from them or from the set.
	Roots []string
	// Set tells that an ApplicationSet makes an application of each folder in sets/.
	Set bool
	// Commits hold all objects at each commit.
	Commits [][]Object
	removed map[string]int // by application
	// Drift tells that somebody edits and deletes objects by hand meanwhile.
	Drift bool
	// KillAt is the commit after which the engine is killed; -1: never.
	KillAt int
	// DeleteEarly deletes the applications while faults still happen.
	DeleteEarly bool

	random *rand.Rand
}

// commits is how many there are after the first one.
const commits = 3

// New makes the scene of a seed: the same one each time.
func New(seed uint64, control, repoBase string) *Scene {
	name := fmt.Sprintf("f%d", seed)
	s := &Scene{
		Seed: seed, Namespace: name, Control: control, RepoURL: repoBase + "/" + name,
		random: Random(seed, 1), KillAt: -1,
	}
	first := s.first()
	s.Commits, s.removed = [][]Object{first}, map[string]int{}
	for i := range commits {
		s.Commits = append(s.Commits, s.change(s.Commits[i], i+1))
	}
	s.Drift = s.chance(30)
	s.DeleteEarly = s.chance(30)
	if s.chance(8) {
		s.KillAt = s.random.IntN(commits + 1)
	}
	return s
}

// Random gives the same numbers for the same seed and purpose; those of seeds
// that follow one another have nothing in common.
func Random(seed, purpose uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], purpose)
	return rand.New(rand.NewChaCha8(key)) //nolint:gosec // numbers that can be had again are the point
}

func (s *Scene) chance(percent int) bool { return s.random.IntN(100) < percent }

// Group is the API group of the scene's own definition.
func (s *Scene) Group() string { return s.Namespace + ".example.com" }

// AppName is the name of the Application of a folder.
func (s *Scene) AppName(folder string) string { return s.Namespace + "-" + basename(folder) }

func (s *Scene) first() []Object {
	all := s.ordinary()
	s.Roots = []string{"main"}
	if s.chance(50) {
		all = append(all, s.hooks()...)
	}
	if s.chance(10) {
		all = append(all,
			Object{App: "main", Key: Key{"CustomResourceDefinition", "gadgets." + s.Group()}, Content: "0", Wave: -1},
			Object{App: "main", Key: Key{"Gadget", "gadget"}, Content: "0", Wave: 1})
	}
	if s.chance(25) {
		s.Roots = append(s.Roots, "root")
		all = append(all,
			Object{App: "root", Key: Key{"Application", s.AppName("one")}, Path: "one", Content: "0"},
			Object{App: "root", Key: Key{"Application", s.AppName("two")}, Path: "two", Content: "0", Wave: 1},
			config("one", "one", 0), config("two", "two", 0))
	}
	if s.chance(25) {
		s.Set = true
		all = append(all, config("sets/red", "red", 0), config("sets/blue", "blue", 0))
	}
	return all
}

func config(app, name string, wave int) Object {
	return Object{App: app, Key: Key{"ConfigMap", name}, Content: "0", Wave: wave}
}

// ordinary are the objects of the main application, in three waves.
func (s *Scene) ordinary() []Object {
	var all []Object
	for wave := range 3 {
		for i := range 1 + s.random.IntN(3) {
			all = append(all, config("main", fmt.Sprintf("w%d-%d", wave, i), wave))
		}
	}
	if s.chance(50) {
		all = append(all, Object{App: "main", Key: Key{"Deployment", "web"}, Content: "0", Wave: s.random.IntN(2)})
	}
	return all
}

var policies = []string{"", "BeforeHookCreation", "HookSucceeded", "HookFailed", "BeforeHookCreation,HookSucceeded"}

func (s *Scene) hooks() []Object {
	var all []Object
	for i, phase := range []string{"PreSync", "PostSync"} {
		if i > 0 && s.chance(50) {
			continue
		}
		o := Object{App: "main", Hook: phase, Content: "0", Policy: policies[s.random.IntN(len(policies))], Key: Key{"ConfigMap", fmt.Sprintf("hook-%d", i)}}
		if s.chance(40) {
			o.Kind = "Job"
		}
		if s.chance(20) {
			o.Generated, o.Name, o.Policy = true, o.Name+"-", "HookSucceeded"
		}
		all = append(all, o)
	}
	return all
}

// mostRemoved is how many objects of an application all commits together take
// out. A busy engine may meet them as one, and the guard asks a person from
// five on.
const mostRemoved = 4

// change makes the objects of the n-th commit out of those before it.
func (s *Scene) change(before []Object, n int) []Object {
	var after []Object
	touched := map[string]bool{}
	for _, o := range before {
		switch {
		case o.Kind == "ConfigMap" && o.Hook == "" && s.chance(12) && !firstOf(before, o) && s.removed[o.App] < mostRemoved:
			touched[o.App] = true
			s.removed[o.App]++
			continue // removed, never to come back
		case o.Kind == "ConfigMap" && o.Hook == "" && s.chance(35), o.Kind == "Deployment" && s.chance(20), o.Kind == "Gadget" && s.chance(50):
			o.Content = strconv.Itoa(n)
			touched[o.App] = true
		}
		after = append(after, o)
	}
	if s.chance(60) || len(touched) == 0 {
		after = append(after, config("main", fmt.Sprintf("new-%d", n), s.random.IntN(3)))
	}
	if s.Set && s.chance(30) {
		after = append(after, config(fmt.Sprintf("sets/extra%d", n), fmt.Sprintf("extra%d", n), 0))
	}
	return after
}

// firstOf reports whether an object is the first of its application. That one
// stays: an application that loses everything is not synced without being told to.
func firstOf(all []Object, o Object) bool {
	first := slices.IndexFunc(all, func(x Object) bool { return x.App == o.App && x.Kind == "ConfigMap" && x.Hook == "" })
	return all[first].Key == o.Key
}
