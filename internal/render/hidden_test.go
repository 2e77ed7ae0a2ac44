package render_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// opens decrypts each file of secrets into a large value of its own.
type opens struct{ bytes int }

func (o opens) Decrypt(_ context.Context, name string, text []byte) ([]byte, *record.Encryption, error) {
	if !strings.HasSuffix(name, "secret.yaml") {
		return text, nil, nil
	}
	return text, &record.Encryption{Opened: true, Values: []string{name + strings.Repeat("x", o.bytes)}}, nil
}

// secrets are so many sources with a file of secrets each, and the last one
// with a file besides that is read.
func secrets(n int, last string) render.Input {
	var in render.Input
	var sources []v1alpha1.ApplicationSource
	files := treetest.Files{"last/a.yaml": last}
	for i := range n {
		dir := fmt.Sprintf("s%d", i)
		files[dir+"/secret.yaml"] = configMap(dir, "1")
		sources = append(sources, at(dir))
	}
	sources = append(sources, at("last"))
	for range sources {
		in.Snapshots = append(in.Snapshots, treetest.Snapshot(repo, rev1, files))
	}
	in.App = application("secrets", sources...)
	return in
}

// TestKeptSecretsCount: what is decrypted is kept with a rendering, and counts
// as what it takes; of one that failed it is not kept.
func TestKeptSecretsCount(t *testing.T) {
	const each, n = 20_000, 20
	r := process(render.Options{Decrypt: opens{each}})
	if _, err := r.Application(t.Context(), secrets(n, configMap("a", "1"))); err != nil {
		t.Fatal(err)
	}
	held := int64(0)
	hidden, _ := r.HiddenOf("argocd/secrets")
	for _, text := range hidden {
		held += int64(len(text))
	}
	if got := r.Stats().Bytes; held < n*each || got < held {
		t.Errorf("%d bytes are kept, of which %d are counted", held, got)
	}
	if _, err := r.Application(t.Context(), secrets(n, "kind: A\n\tx: y\nmetadata:\napiVersion:")); err == nil {
		t.Fatal("it is no manifest")
	}
	if hidden, kept := r.HiddenOf("argocd/secrets"); !kept || len(hidden) > 0 {
		t.Errorf("of a render that failed %d values are kept: %v", len(hidden), kept)
	}
}

// TestSecretsOfAllSources: they are bounded together, and nothing is rendered
// of which some would not be hidden.
func TestSecretsOfAllSources(t *testing.T) {
	r := process(render.Options{Decrypt: opens{500_000}})
	_, err := r.Application(t.Context(), secrets(20, configMap("a", "1")))
	if err == nil || !strings.Contains(err.Error(), "more encrypted values than can be kept out") || strings.Contains(err.Error(), "xxx") {
		t.Errorf("got %.300v", err)
	}
}
