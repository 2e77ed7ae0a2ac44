package preview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

// exitChanges is how the program says that something changes.
const exitChanges = 3

const (
	// maxAnswer bounds what is read of the program's answer.
	maxAnswer = 64 << 20 // bytes
	// maxTold bounds what of the program's words becomes an error.
	maxTold = 16 << 10 // bytes
	// outputDelay is how long what a program has started may hold on to its output.
	outputDelay = 10 * time.Second
)

// forecast is the part of the program's answer that is used here; its schema
// is docs/reference/preview-schema.json.
type forecast struct {
	Summary struct {
		Added   int64 `json:"added"`
		Removed int64 `json:"removed"`
		Changed int64 `json:"changed"`
	} `json:"summary"`
	Groups []struct {
		Change       string `json:"change"`
		Title        string `json:"title"`
		Applications []struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Cluster   string `json:"cluster"`
		} `json:"applications"`
		Causes []struct {
			What string `json:"what"`
		} `json:"causes"`
	} `json:"groups"`
	Failures []struct {
		Message string `json:"message"`
		New     bool   `json:"new"`
	} `json:"failures"`
	raw []byte
}

// forecast asks the program, in a temporary folder of its own.
func (d *data) forecast(ctx context.Context, m model) (forecast, error) {
	within, err := m.patience()
	if err != nil {
		return forecast{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dir, err := os.MkdirTemp("", "causeway-preview-")
	if err != nil {
		return forecast{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	args, err := d.arguments(ctx, m, dir)
	if err != nil {
		return forecast{}, err
	}
	program, err := d.Hub.Program()
	if err != nil {
		return forecast{}, err
	}
	return run(ctx, program, args, within)
}

// arguments writes the Secrets to files and says where all is.
func (d *data) arguments(ctx context.Context, m model, dir string) ([]string, error) {
	revision := m.Revision.ValueString()
	if revision == "" {
		revision = "HEAD"
	}
	namespace := d.Hub.NamespaceOr("")
	args := []string{"preview", "--no-color", "-o", "json", "--exact", "-n", namespace, "--repo", m.Repository.ValueString(), "--base", revision, "--head", revision}
	clusters := m.Clusters.ValueString()
	var live []unstructured.Unstructured
	if clusters == "" {
		clusters = filepath.Join(dir, "clusters")
		var err error
		if live, err = d.current(ctx, clusters, namespace); err != nil {
			return nil, err
		}
	}
	args = append(args, "--clusters", clusters)
	files, err := changed(dir, m.Changes, live)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		args = append(args, "--secret-change", file)
	}
	for _, v := range m.RepoURLs.Elements() {
		text, _ := v.(types.String)
		args = append(args, "--repo-url", text.ValueString())
	}
	mirrors := m.Mirrors.Elements()
	for _, url := range slices.Sorted(maps.Keys(mirrors)) {
		text, _ := mirrors[url].(types.String)
		args = append(args, "--mirror", url+"="+text.ValueString())
	}
	return args, nil
}

func run(ctx context.Context, program string, args []string, within time.Duration) (forecast, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	out, told := &connection.Answer{Most: maxAnswer}, &connection.Words{Most: maxTold}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, told, outputDelay
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return forecast{}, fmt.Errorf("the preview took longer than %s: set timeout", within)
	case out.TooLong():
		return forecast{}, fmt.Errorf("the preview has more than %d bytes, which is more than fits in a plan", maxAnswer)
	case err != nil && !errors.As(err, &exit):
		return forecast{}, err
	}
	f := forecast{raw: bytes.TrimSpace(out.Bytes())}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != exitChanges && len(f.raw) == 0 {
		return f, errors.New(told.String())
	}
	if err := json.Unmarshal(f.raw, &f); err != nil {
		return f, fmt.Errorf("cannot read the answer of %s: %w", program, err)
	}
	return f, nil
}

// title is what a plan warns of; empty where nothing changes and nothing fails by it.
func (f forecast) title() string {
	s, fresh := f.Summary, 0
	for _, w := range f.Failures {
		if w.New {
			fresh++
		}
	}
	if s.Added+s.Changed+s.Removed == 0 && fresh == 0 {
		return ""
	}
	out := fmt.Sprintf("Applications: %d to add, %d to change, %d to delete", s.Added, s.Changed, s.Removed)
	if fresh > 0 {
		out += fmt.Sprintf("; new failures: %d", fresh)
	}
	return out
}

// text is the answer for people.
func (f forecast) text() string {
	var out strings.Builder
	for _, g := range f.Groups {
		names := make([]string, 0, len(g.Applications))
		for _, a := range g.Applications {
			names = append(names, a.Name+" on "+a.Cluster)
		}
		_, _ = fmt.Fprintf(&out, "%s: %s\n", g.Change, strings.Join(names, ", "))
		if g.Title != "" && !slices.Contains(names, g.Title) {
			_, _ = fmt.Fprintf(&out, "  %s\n", g.Title)
		}
		for _, c := range g.Causes {
			_, _ = fmt.Fprintf(&out, "  because of %s\n", c.What)
		}
	}
	for _, w := range f.Failures {
		if w.New {
			_, _ = fmt.Fprintf(&out, "broken: %s\n", w.Message)
		}
	}
	return strings.TrimSpace(out.String())
}

// answer fills in the computed attributes.
func (m *model) answer(ctx context.Context, f forecast) diag.Diagnostics {
	all := []string{}
	for _, g := range f.Groups {
		for _, a := range g.Applications {
			all = append(all, a.Namespace+"/"+a.Name)
		}
	}
	slices.Sort(all)
	sum := sha256.Sum256(f.raw)
	m.ID = types.StringValue(hex.EncodeToString(sum[:8]))
	m.Summary, m.JSON = types.StringValue(f.text()), types.StringValue(string(f.raw))
	m.Added, m.Changed, m.Removed = types.Int64Value(f.Summary.Added), types.Int64Value(f.Summary.Changed), types.Int64Value(f.Summary.Removed)
	list, d := types.ListValueFrom(ctx, types.StringType, slices.Compact(all))
	m.Application = list
	return d
}

func (m model) patience() (time.Duration, error) {
	text := m.Timeout.ValueString()
	if text == "" {
		return defaultWait, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("timeout = %q: write a duration, as in \"10m\"", text)
	}
	return d, nil
}
