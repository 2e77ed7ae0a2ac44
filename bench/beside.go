package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
)

// pass is what one engine needed, in a world of its own, for a fleet and for
// a commit that concerns nobody.
type pass struct {
	// against and fairly are the fleet's wall time against the raw limit, and against the
	// fair one, of the same round.
	against, fairly float64
	fleet           synced
	noop            looked
}

// besides measures two engines in turn, each round with limits and new
// control planes, and prints the medians. Every second round begins with the
// other engine: a machine that gets slower or faster meanwhile favours none.
// A round that fails, as on a machine that is too busy, costs only the rounds
// after it.
func (b *bench) besides(ctx context.Context, apps int) error {
	var engine, other []pass
	for round := range b.rounds {
		x, y, err := b.round(ctx, apps, round)
		if err != nil && len(engine) == 0 {
			return err
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: round %d: %v\n", round+1, err)
			break
		}
		engine, other = append(engine, x), append(other, y)
	}
	b.out = newTable(fmt.Sprintf("%d applications × %d objects, medians of %d rounds", apps, objectsPerApp, len(engine)))
	b.compare(apps, engine, other)
	fmt.Print(b.out)
	return nil
}

// round measures both engines once.
func (b *bench) round(ctx context.Context, apps, round int) (engine, other pass, err error) {
	limits, err := measureLimits(ctx, apps)
	if err != nil {
		return engine, other, err
	}
	order := []struct {
		binary string
		to     *pass
	}{{b.engine, &engine}, {b.beside, &other}}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	for _, o := range order {
		fmt.Fprintf(os.Stderr, "bench: round %d of %d with %s\n", round+1, b.rounds, o.binary)
		if *o.to, err = onePass(ctx, o.binary, apps, limits); err != nil {
			return engine, other, err
		}
	}
	return engine, other, nil
}

func onePass(ctx context.Context, engine string, apps int, l limits) (p pass, err error) {
	w, err := newWorld(ctx, engine, apps)
	if err != nil {
		return p, err
	}
	defer w.close()
	if p.fleet, err = w.sync(ctx); err != nil {
		return p, err
	}
	p.against, p.fairly = p.fleet.wall.Seconds()/l.raw.wall.Seconds(), p.fleet.wall.Seconds()/l.fair.wall.Seconds()
	p.noop, err = w.look(ctx)
	return p, err
}

// compare prints a figure a row: the engine's, the other one's, and the ratio
// of the two medians.
func (b *bench) compare(apps int, engine, other []pass) {
	b.out.row("", "engine", "beside", "ratio")
	row := func(what string, show func(float64) string, of func(pass) float64) {
		x, y := median(engine, of), median(other, of)
		b.out.row(what, show(x), show(y), ratio(x, y))
	}
	per := func(n int) float64 { return float64(n) / float64(apps) }
	row("fleet: wall time against the raw limit", decimals(2, "×"), func(p pass) float64 { return p.against })
	row("  against the fair limit", decimals(2, "×"), func(p pass) float64 { return p.fairly })
	row("  wall time", decimals(2, " s"), func(p pass) float64 { return p.fleet.wall.Seconds() })
	row("  CPU of the engine", decimals(2, " s"), func(p pass) float64 { return p.fleet.cpu.Seconds() })
	row("  CPU of the control plane", decimals(2, " s"), func(p pass) float64 { return p.fleet.plane.Seconds() })
	row("  API requests an application", decimals(1, ""), func(p pass) float64 { return per(sum(p.fleet.requests)) })
	row("  peak memory of the engine", decimals(0, " MiB"), func(p pass) float64 { return float64(p.fleet.peak >> 20) })
	row("noop: CPU of the engine", decimals(2, " s"), func(p pass) float64 { return p.noop.cpu.Seconds() })
	row("  API requests an application", decimals(1, ""), func(p pass) float64 { return per(sum(p.noop.requests)) })
}

func median(passes []pass, of func(pass) float64) float64 {
	all := make([]float64, len(passes))
	for i := range passes {
		all[i] = of(passes[i])
	}
	slices.SortFunc(all, cmp.Compare)
	if n := len(all); n%2 == 0 {
		return (all[n/2-1] + all[n/2]) / 2
	}
	return all[len(all)/2]
}

func decimals(n int, unit string) func(float64) string {
	return func(x float64) string { return strconv.FormatFloat(x, 'f', n, 64) + unit }
}

func ratio(a, b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", a/b)
}

// synced is what it took until all Applications were Synced and Healthy.
type synced struct {
	wall, created time.Duration
	cpu, plane    time.Duration // of the engine and of the control plane
	peak          int64         // bytes
	requests      map[string]int
	renders       float64
}

// sync creates the Applications and waits until all are Synced and Healthy.
func (w *world) sync(ctx context.Context) (s synced, err error) {
	before, err := w.settled(ctx) // its watches of kinds that are new are asked for again after a second
	if err != nil {
		return s, err
	}
	plane, err := cpuOf(w.cluster.PID())
	if err != nil {
		return s, err
	}
	begin := time.Now()
	good := make(chan error, 1)
	go func() { good <- w.allGood(ctx) }() // ends with its watch, at the latest after patience
	if err := w.createApps(ctx); err != nil {
		return s, err
	}
	s.created = time.Since(begin)
	if err := <-good; err != nil {
		return s, err
	}
	s.wall = time.Since(begin)
	after, err := w.engine.usage(ctx)
	if err != nil {
		return s, err
	}
	s.cpu, s.peak, s.renders = after.cpu-before.cpu, after.peak, after.renders-before.renders
	s.requests = difference(after.requests, before.requests)
	s.plane, err = cpuOf(w.cluster.PID())
	s.plane -= plane
	return s, err
}

// looked is what it took to look at a commit.
type looked struct {
	cpu      time.Duration
	requests map[string]int
	renders  float64
}

// look makes a commit that concerns no application.
func (w *world) look(ctx context.Context) (l looked, err error) {
	before, err := w.settled(ctx)
	if err != nil {
		return l, err
	}
	if err := w.write("README.md", "nothing that is deployed"); err != nil {
		return l, err
	}
	if err := w.commit(ctx, "change no application"); err != nil {
		return l, err
	}
	// The look of every application at the new commit takes well under this.
	if err := pause(ctx, 5*time.Second); err != nil {
		return l, err
	}
	after, err := w.engine.usage(ctx)
	return looked{cpu: after.cpu - before.cpu, requests: difference(after.requests, before.requests), renders: after.renders - before.renders}, err
}
