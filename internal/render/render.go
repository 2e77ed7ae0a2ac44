package render

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/sops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/room"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Options of a Renderer; the zero value takes the defaults.
type Options struct {
	// CacheBytes bounds the memory of kept renderings; 128 MiB when 0,
	// nothing is kept when negative.
	CacheBytes int64
	Limits     Limits
	// Remotes fetches what sources refer to besides themselves: remote bases,
	// dependencies of charts. Nothing of that kind is read when nil.
	Remotes Snapshots
	// Decrypt opens encrypted files as they are read. When nil they are read
	// as they are, with a warning.
	Decrypt record.Decrypter
	// Store keeps renderings beyond the life of the process, such as
	// disk.Store; none when nil.
	Store Store
	// Setup names everything else that renders depend on and Input does not
	// have: the settings of the renderers. Processes with another Setup do
	// not share what is in the Store.
	Setup string
	// Apart are the workers that render; this process does when nil.
	Apart *Apart
	// Now tells the time; time.Now when nil.
	Now func() time.Time
	// Log is told of renders that had to be given up; slog.Default() when nil.
	Log *slog.Logger
}

// Snapshots fetches a repository, chart or artifact. An answer that is known
// already is quick.
type Snapshots interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
}

// Limits bound one render.
type Limits struct {
	// Read bounds what is read of each snapshot: 20,000 files, and 32 MiB a
	// file, where 0.
	Read record.Limits
	// Bytes are those that all sources of one application read and unpack
	// together, each time that they do; 128 MiB when 0.
	Bytes int64
	// Time for all sources of an application; 60 s when 0.
	Time time.Duration
	// Objects is the number of objects of one application, Output the bytes
	// of them as they are written, and as JSON; 10,000 and 64 MiB where 0.
	Objects int
	Output  int64
	// Files is the number of files that all sources of one application read,
	// and what else is read for it; 50,000 when 0.
	Files int
	// Remotes is the number of places that one application reads from
	// besides its sources; 64 when 0.
	Remotes int
	// Parallel is the number of renders that run at a time, of which one
	// project has half; twice the number of processors when 0, or fewer where
	// there is no memory for as many large ones.
	Parallel int
}

// Input is what an application is rendered from.
type Input struct {
	App *v1alpha1.Application
	// Snapshots has one entry for each of App.Spec.GetSources(), in their
	// order, also for those that are only referred to.
	Snapshots []*gitops.Snapshot
	// Facts of the destination cluster.
	Facts gitops.Facts
	// TrackingName is the application's name in tracking ids; the plain
	// name when empty.
	TrackingName string
	// Settings of the installation.
	Settings source.Settings
	// Remotes, when set, is read instead of the Renderer's own: a preview
	// sees elsewhere as it is on one of its two sides.
	Remotes Snapshots

	// plain has it rendered without a library, or end with source.ErrNotPlain.
	plain bool
}

// Stats count what a Renderer did since it was made.
type Stats struct {
	// Rendered counts renders that ran, Reused those that did not have to,
	// Failed those of Rendered that ended in an error.
	Rendered, Reused, Failed uint64
	// Loaded counts those of Reused that came out of the Store.
	Loaded uint64
	// Kept is the number of renderings in the cache, Bytes their memory.
	Kept  int
	Bytes int64
}

// Renderer renders applications. It is safe for concurrent use.
type Renderer struct {
	limits      Limits
	log         *slog.Logger
	now         func() time.Time
	remotes     Snapshots
	decrypt     record.Decrypter
	apart       *Apart
	renderers   map[gitops.SourceType]source.Renderer
	discoverers []discoverer
	kept        *cache
	store       *shelf
	slots       *slots.Slots
	running     sync.WaitGroup
	count       counters
}

// New makes a Renderer that has a renderer for each type of source it is given.
func New(o Options, renderers ...source.Renderer) *Renderer {
	o = o.withDefaults()
	r := &Renderer{
		limits:    o.Limits,
		log:       o.Log,
		now:       o.Now,
		remotes:   o.Remotes,
		decrypt:   o.Decrypt,
		apart:     o.Apart,
		renderers: map[gitops.SourceType]source.Renderer{},
		kept:      newCache(o.CacheBytes),
		store:     newShelf(o),
		slots:     slots.New(o.Limits.Parallel),
	}
	for _, s := range renderers {
		r.renderers[s.Type()] = s
		if d, ok := s.(discoverer); ok {
			r.discoverers = append(r.discoverers, d)
		}
	}
	return r
}

func (o Options) withDefaults() Options {
	o.CacheBytes = orElse(o.CacheBytes, 128<<20)
	o.Limits.Time = orElse(o.Limits.Time, time.Minute)
	o.Limits.Parallel = orElse(o.Limits.Parallel, o.parallel())
	o.Limits.Objects = orElse(o.Limits.Objects, 10_000)
	o.Limits.Output = orElse(o.Limits.Output, 64<<20)
	o.Limits.Files = orElse(o.Limits.Files, 50_000)
	o.Limits.Remotes = orElse(o.Limits.Remotes, 64)
	o.Limits.Read.Files = orElse(o.Limits.Read.Files, 20_000)
	o.Limits.Read.FileBytes = orElse(o.Limits.Read.FileBytes, 32<<20)
	// The largest chart that Helm itself takes, of 100 MiB, and its values: more
	// than ten times what the largest known ones have.
	o.Limits.Bytes = orElse(o.Limits.Bytes, 128<<20)
	if o.Decrypt == nil {
		o.Decrypt = sops.Keys{}
	}
	o.Log = orElse(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// perRender is about what a render holds at most: what it reads, with what templates
// produce of that, or the objects of all sources with their texts.
const perRender = 320 << 20

// parallel is how many renders run at a time: the processors are those of the
// machine, where a container may have little of its memory.
func parallel(there int64, processors int) int {
	return min(2*processors, max(2, int(memory.Engine(there)/perRender))) //nolint:mnd // renders wait for others, too
}

// parallel is that of the engine: one that waits for the memory of its worker would lose
// its time.
func (o Options) parallel() int {
	most := parallel(memory.There(), runtime.GOMAXPROCS(0))
	if o.Apart == nil {
		return most
	}
	return min(most, o.Apart.Workers.Fits())
}

func orElse[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// Application renders all sources of an application, or returns the last
// rendering when nothing that it depends on has changed. The manifests'
// objects are shared with later results: readers must not change them, and
// copy what they want to change. Errors that a person can act on are a
// *gitops.Problem; where the work of the context finds no room for the objects it
// is room.ErrNoRoom, and they are kept packed for when it comes again.
func (r *Renderer) Application(ctx context.Context, in Input) (*gitops.Rendering, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	key := in.key()
	kept, err := r.recall(ctx, key, in)
	if err != nil {
		return nil, err
	}
	if kept != nil {
		r.count.reused.Add(1)
		return kept.rendering(in, true)
	}
	made, err := r.within(ctx, in.App.Spec.GetProject(), func(ctx context.Context) *entry { return r.settled(ctx, in) })
	if err != nil {
		r.count.failed.Add(1)
		r.count.rendered.Add(1)
		return nil, err
	}
	r.count.rendered.Add(1)
	if made.err != nil {
		r.count.failed.Add(1)
	}
	made.key = key
	if made.lasting() {
		r.kept.put(in.id(), made)
		r.store.save(in.id(), made)
	}
	if made.lacksObjects() {
		return nil, room.ErrNoRoom
	}
	return made.rendering(in, false)
}

// settled renders an application. Where there is no room for its objects they stay
// packed, as long as the render has its slot: who has given that back may wait for a
// worker, with what nobody counts.
func (r *Renderer) settled(ctx context.Context, in Input) *entry {
	e := r.made(ctx, in)
	if room.Take(ctx, e.inUse()) != nil {
		return e.cooled()
	}
	full, err := e.unpacked()
	if err != nil {
		return &entry{err: fmt.Errorf("cannot render application %s: %w", in.App.Name, err)}
	}
	return full
}

// Forget drops what is kept of an application: the next look renders anew.
func (r *Renderer) Forget(namespace, name string) {
	r.kept.drop(namespace + "/" + name)
	r.store.forget(namespace + "/" + name)
}

// Wait returns when no render runs any more, also those that were given up.
func (r *Renderer) Wait() { r.running.Wait() }

// Close waits for the renders that run, and ends the workers. Nothing can be rendered
// afterwards.
func (r *Renderer) Close() {
	r.Wait()
	if r.apart != nil {
		r.apart.Workers.Close()
	}
}

// Stats returns the counts so far.
func (r *Renderer) Stats() Stats {
	s := Stats{Rendered: r.count.rendered.Load(), Reused: r.count.reused.Load(), Failed: r.count.failed.Load(), Loaded: r.count.loaded.Load()}
	s.Kept, s.Bytes = r.kept.size()
	return s
}
