package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// What the memory of an engine is measured with.
const (
	memoryApps       = 1000
	memoryObjects    = 20 // of each application, beside its Namespace
	memoryFillerSize = 400
)

// memory measures what an engine holds of 20,000 live objects in 1,000
// applications, right after a garbage collection.
func (b *bench) memory(ctx context.Context) error {
	b.out = newTable(fmt.Sprintf("memory: %d applications × %d objects", memoryApps, memoryObjects))
	w := &world{apps: memoryApps, manifests: manyManifests, flags: []string{"--pprof"}}
	if err := w.begin(ctx, b.engine); err != nil {
		return err
	}
	defer w.close()
	empty, err := w.engine.heap(ctx)
	if err != nil {
		return err
	}
	if err := w.createApps(ctx); err != nil {
		return err
	}
	if err := w.allGood(ctx); err != nil {
		return err
	}
	if _, err := w.settled(ctx); err != nil {
		return err
	}
	heap, err := w.engine.heap(ctx)
	if err != nil {
		return err
	}
	u, err := w.engine.usage(ctx)
	if err != nil {
		return err
	}
	const objects = memoryApps * memoryObjects
	b.out.row("heap after a garbage collection", mebibytes(heap), fmt.Sprintf("%d MiB before the first application", empty>>20))
	b.out.row("  an application", fmt.Sprintf("%d KiB", (heap-empty)>>10/memoryApps), fmt.Sprintf("%d bytes", (heap-empty)/memoryApps))
	b.out.row("  an object", fmt.Sprintf("%d bytes", (heap-empty)/objects), "")
	b.out.row("resident memory of the engine (aim: below 600 MiB)", mebibytes(u.resident), fmt.Sprintf("%d KiB an application", u.resident>>10/memoryApps))
	b.out.row("  at the most, while all were synced", mebibytes(u.peak), "")
	fmt.Print(b.out)
	return nil
}

// manyManifests are the objects of an ordinary application, and ConfigMaps to
// fill up.
func manyManifests(app string, version int) string {
	parts := []string{manifests(app, version)}
	for i := range memoryObjects - objectsPerApp {
		parts = append(parts, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: part-%02d, labels: {app: %s}}\ndata: {text: %s}\n", i, app, strings.Repeat("x", memoryFillerSize)))
	}
	return strings.Join(parts, "---\n")
}

// heap collects garbage in the engine and returns the bytes that are left.
func (e *engine) heap(ctx context.Context) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.listen+"/debug/pprof/heap?gc=1&debug=1", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "# HeapAlloc = "); ok {
			return strconv.ParseInt(rest, 10, 64)
		}
	}
	return 0, fmt.Errorf("the engine does not tell its heap: %w", lines.Err())
}
