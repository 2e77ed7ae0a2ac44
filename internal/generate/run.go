package generate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// kind is one kind of generator.
type kind interface {
	// template returns the generator's own template, nil when the generator is
	// not of this kind.
	template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate
	// params finds the parameter sets of a generator of this kind.
	params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error)
}

// run is one expansion: what it has read so far, and the templates it has parsed.
type run struct {
	*Generator
	ctx context.Context //nolint:containedctx // a run lives as long as one call
	set *v1alpha1.ApplicationSet

	texts renderer
	// strict fails where a parameter is missing.
	strict renderer
	// fenced renders a patch that names some of the engine's own annotations; else it is nil.
	fenced   renderer
	replaced *replacer
	lacks    *lacks
	patches  patches

	fleet []gitops.Cluster
	// hub is the one without a Secret.
	hub       *gitops.Cluster
	fleetRead bool
	usesFleet bool
	// ofClusters tells that the generator that is worked on has read clusters.
	ofClusters bool
	literals   *literals
	// changes reports whether a template of the set may change its parameters.
	changes func() bool
	// leads tells where strangers may say what is read.
	leads func() leads
	// rendered are the generators, as they stand in the set, of which copies are worked on
	// that were rendered with what clusters say.
	rendered []*v1alpha1.ApplicationSetGenerator
	made     map[*gitops.Cluster]paramSet
	places   *places
	known    map[string]bool
	repos    map[gitops.SourceRef]*repo
	trust    *trust
	order    []gitops.SourceRef
	sets     int
	held     *account
	// applications are those of the generators before; direct tells that each set
	// of the generator itself becomes one.
	applications int
	direct       bool
	applied      int64 // bytes of the Applications
	copies       int   // rendered generators that are worked on: their texts go on in parameters
	entries      int   // files and folders that were listed
	read         int   // bytes of files
	values       *bounded.Budget
	expressions  *bounded.Matching
	warnings     []gitops.Warning

	// position names the generator that is worked on, from the outside in.
	position []string
	reviews  []*v1alpha1.PullRequestGenerator
	forges   []*v1alpha1.SCMProviderGenerator
	plugins  bool
	// choices are what selectors chose, and choiceOrder the order they came in.
	choices     map[choice]*chosenOf
	choiceOrder []choice
}

// mostMatching bounds the filters of all generators together, and the templates
// for themselves: about five seconds.
const mostMatching = bounded.MostMatching / 4

func newRun(ctx context.Context, g *Generator, set *v1alpha1.ApplicationSet) *run {
	l := &literals{set: set}
	r := &run{
		Generator: g, ctx: ctx, set: set, lacks: newLacks(), literals: l,
		hub:   &gitops.Cluster{Name: gitops.HubName, Server: gitops.HubServer},
		known: map[string]bool{}, made: map[*gitops.Cluster]paramSet{}, choices: map[choice]*chosenOf{}, repos: map[gitops.SourceRef]*repo{}, trust: newTrust(g, l),
	}
	r.changes = sync.OnceValue(r.changesMaps)
	r.leads = sync.OnceValue(func() leads { return leadsOf(set) })
	r.values = bounded.NewBudget(g.limits.Values)
	r.expressions = bounded.NewMatching(mostMatching)
	r.lacks.goMode = set.Spec.GoTemplate
	r.texts, r.strict = newRenderers(ctx, set, g.limits, r.lacks)
	r.held = &account{share: int64(g.limits.Held), most: int64(g.limits.Held)}
	r.replaced = newReplacer(r.texts, r.strict, r.held)
	r.patches.held = r.held
	if patch := set.Spec.TemplatePatch; patch != nil {
		r.patches.mark = markOf(*patch)
	}
	if mark := r.patches.mark; mark != "" {
		r.fenced = r.texts.fenced(mark)
	}
	return r
}

// count keeps the number of parameter sets within bounds.
func (r *run) count(n int) error {
	r.sets += n
	if r.sets > r.limits.ParameterSets {
		return r.tooManySets()
	}
	if err := r.ctx.Err(); err != nil {
		return errorf("cannot finish the expansion in time: %w", err)
	}
	return nil
}

// clusterList returns the fleet, read once a run.
func (r *run) clusterList() ([]gitops.Cluster, error) {
	if r.fleetRead {
		return r.fleet, nil
	}
	list, err := r.clusters.Clusters(r.ctx)
	if err != nil {
		return nil, unreachable(errorf("cannot list clusters: %w", err))
	}
	r.fleet, r.fleetRead = list, true
	return list, nil
}

// hasProject looks a project up, once a run and name.
func (r *run) hasProject(name string) (bool, error) {
	if ok, had := r.known[name]; had {
		return ok, nil
	}
	if len(apivalidation.NameIsDNSSubdomain(name, false)) > 0 {
		return false, nil // and nothing is remembered of it: it may be any text
	}
	ok, err := r.projects.HasProject(r.ctx, name)
	if err != nil {
		return false, unreachable(errorf("cannot look up project %q: %w", name, err))
	}
	r.known[name] = ok
	return ok, nil
}

func (r *run) reads() Reads {
	return Reads{
		Repos:    r.order,
		Clusters: r.usesFleet,
		Keys:     slices.Sorted(maps.Keys(r.lacks.asked)),
		AnyKey:   r.lacks.any,
		Chosen:   slices.Sorted(maps.Keys(r.lacks.chosen)),
		Projects: slices.Sorted(maps.Keys(r.known)),
		Again:    again(r.set),
		Reviews:  r.reviews, Forges: r.forges, Plugins: r.plugins,
	}
}

func (r *run) asksReviews(g *v1alpha1.PullRequestGenerator) error {
	if err := r.asks(g); err != nil {
		return err
	}
	r.reviews = append(r.reviews, g)
	return nil
}

func (r *run) asksForge(g *v1alpha1.SCMProviderGenerator) error {
	if err := r.asks(g); err != nil {
		return err
	}
	r.forges = append(r.forges, g)
	return nil
}

// mostOfHost bounds a generator that asks a host, in bytes: it is remembered what was
// asked, for as long as the answers are.
const mostOfHost = 64 << 10

func (r *run) asks(generator any) error {
	weight := weightOf(generator)
	if weight > mostOfHost {
		return problemf(gitops.Invalid, "cannot ask a Git host: with its parameters the generator takes more than %d KiB", mostOfHost>>10).
			Do("let it take less of what other generators give")
	}
	return r.held.take(weight)
}

func (r *run) asksPlugin() { r.plugins = true }

// enter notes that a generator is worked on, until the function it returns is called.
func (r *run) enter(position string) (leave func()) {
	r.position = append(r.position, position)
	return func() { r.position = r.position[:len(r.position)-1] }
}

// at is the position of the generator that is worked on.
func (r *run) at() string { return placeOf(r.position) }

func placeOf(position []string) string { return strings.Join(position, ": ") }

func partOfSet(i int) string { return fmt.Sprintf("generator %d", i+1) }

func partOfMatrix(i int) string {
	if i == 0 {
		return "first generator of the matrix"
	}
	return "second generator of the matrix"
}

func partOfMerge(i int) string { return fmt.Sprintf("generator %d of the merge", i+1) }

func (r *run) warnf(reason, format string, args ...any) {
	whole := errorf(format, args...)
	w := gitops.Warning{Reason: reason, Message: r.ofSet(whole.Error())}
	if bare := r.ofSet(r.literals.bare(whole)); !r.tells() && bare != w.Message {
		w.Bare, w.Fleet = bare, true
	}
	r.warn(w)
}

func (r *run) ofSet(message string) string {
	return fmt.Sprintf("ApplicationSet %s: %s", r.set.Name, message)
}

// ofFleet notes that the generator that is worked on reads clusters.
func (r *run) ofFleet() { r.usesFleet, r.ofClusters = true, true }

// tells reports whether an error may have values of parameters: none of them is a
// cluster's, or who reads it has the whole fleet before them.
func (r *run) tells() bool { return !r.ofClusters || r.names }

// told is the error of a set. Where it may quote what a cluster says, it is told bare:
// errors become conditions, and who reads a set need not be let read each cluster. Then
// a warning has the whole, for the log and for who may read the clusters that it names.
func (r *run) told(err error) error {
	if r.tells() {
		return inSet(r.set, err)
	}
	bare := r.literals.bare(err)
	if bare == err.Error() {
		return inSet(r.set, err)
	}
	w := gitops.Warning{Reason: "UnusableParameters", Message: r.ofSet(err.Error()), Bare: r.ofSet("its error is about the parameters of a cluster")}
	if name := blames(err); name != "" {
		w.Clusters = []string{name}
	} else {
		w.Fleet = true
	}
	r.warn(w)
	kind := gitops.Invalid
	if p := (*gitops.Problem)(nil); errors.As(err, &p) {
		kind = p.Kind
	}
	return inSet(r.set, (&gitops.Problem{Kind: kind, What: bare, Err: err}).Do(theRest))
}

// theRest says where somebody who may read the clusters finds what is left out.
const theRest = "what is left out is in the engine's log and, for who may read the clusters, on the page of the set"

// blames is the name of the one cluster whose parameters an error is about; empty where
// that may be any.
func blames(err error) string {
	var names []string
	for ; err != nil; err = errors.Unwrap(err) {
		some, known := blamed(err)
		if !known {
			return ""
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) != 1 {
		return ""
	}
	return names[0]
}

// blamed are the names of the clusters that one layer of an error may quote something of,
// unless these are not known.
func blamed(err error) (names []string, known bool) {
	var of []*Origin
	switch e := err.(type) { //nolint:errorlint // each layer names its own
	case *about:
		of = append(of, e.of)
	case *said:
		for _, arg := range e.args {
			switch a := arg.(type) {
			case subject:
				names = append(names, a.name)
			case paramSet:
				of = append(of, a.of)
			case keyed:
				of = append(of, a.set.of)
			}
		}
	}
	for _, o := range of {
		if o.isAny() {
			return nil, false
		}
		for _, c := range o.Clusters() {
			names = append(names, c.Name)
		}
	}
	return names, true
}

// mostWarnings are those that one expansion keeps: a matrix may give the same for
// each of its sets.
const mostWarnings = 1000

func (r *run) warn(w gitops.Warning) {
	if len(r.warnings) < mostWarnings {
		r.warnings = append(r.warnings, w)
	}
}

// unreachable is an error of something that a run reads from, unless that told
// what kind of problem it is.
func unreachable(err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return err
	}
	return &gitops.Problem{Kind: gitops.Unreachable, What: err.Error(), Err: err}
}

// inSet names the set in an error, and keeps the kind of its problem.
func inSet(set *v1alpha1.ApplicationSet, err error) error {
	what := fmt.Sprintf("cannot expand ApplicationSet %s: ", set.Name)
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return &gitops.Problem{Kind: gitops.Invalid, What: what + err.Error(), Err: err}
	}
	// The problem's text already ends with its fix: split the two again.
	text := strings.TrimSuffix(err.Error(), "; "+p.Advice())
	return &gitops.Problem{Kind: p.Kind, What: what + text, Fix: p.Advice(), Err: err}
}

func byName(a, b v1alpha1.Application) int { return strings.Compare(a.Name, b.Name) }

func byRejectedName(a, b Rejected) int { return strings.Compare(a.Name, b.Name) }
