// Package helm fetches charts from Helm repositories over HTTP: the index
// once as long as the server says that it is the same, each archive once.
//
// It does not render charts and does not decide when to look.
package helm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/chart"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// indexLimit bounds an index.yaml; the largest public ones have 30 MiB.
const indexLimit = 128 << 20

// Settings are what all repositories share.
type Settings struct {
	// Dir is the repository's own folder in the cache.
	Dir    string
	Room   *archive.Room
	Limits archive.Limits
}

// Repo is one chart repository.
type Repo struct {
	base   string
	client *web.Client
	Settings

	mu   sync.Mutex
	last *View
}

// New makes a Repo for a base address without userinfo; it opens no connection.
func New(base string, client *web.Client, s Settings) *Repo {
	return &Repo{base: strings.TrimSuffix(base, "/"), client: client, Settings: s}
}

// View is the index as it was at one look-up.
type View struct {
	repo *Repo
	sum  string
}

// known is what the folder says of the index in it.
type known struct {
	URL, ETag, LastModified, Sum string
}

// Look asks for the index, unless the server says that it has not changed;
// then it returns the same View. The index is read in the turn of the projects
// that it is for.
func (r *Repo) Look(ctx context.Context, by func() []string) (*View, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	touch(r.Dir)
	address := r.base + "/index.yaml"
	before := r.load(address)
	header := http.Header{}
	if before.ETag != "" {
		header.Set("If-None-Match", before.ETag)
	}
	if before.LastModified != "" {
		header.Set("If-Modified-Since", before.LastModified)
	}
	res, err := r.client.Get(ctx, address, header)
	if err != nil {
		return nil, sentOn(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotModified && before.Sum != "" {
		return r.view(before.Sum), nil
	}
	sum, err := r.store(ctx, res.Body, by)
	if err != nil {
		return nil, err
	}
	after := known{address, res.Header.Get("ETag"), res.Header.Get("Last-Modified"), sum}
	if err := r.save(after); err != nil {
		return nil, err
	}
	if before.Sum != "" && before.Sum != sum {
		_ = os.Remove(r.file(before.Sum)) // views that still need it ask the server again
	}
	return r.view(sum), nil
}

// sentOn says what to do where the index itself is elsewhere than below the
// repository's address.
func sentOn(err error) error {
	var p *gitops.Problem
	var withheld *web.Withheld
	if errors.As(err, &p) && errors.As(err, &withheld) {
		p.Fix = "write the address that the server sends on to as the repository's, and permit that in spec.sourceRepos of the project"
	}
	return err
}

func (r *Repo) view(sum string) *View {
	if r.last == nil || r.last.sum != sum {
		r.last = &View{r, sum}
	}
	return r.last
}

func (r *Repo) file(sum string) string { return filepath.Join(r.Dir, "index-"+sum+".yaml") }

func (r *Repo) load(address string) known {
	var k known
	data, err := os.ReadFile(filepath.Join(r.Dir, "index.json"))
	if err != nil || json.Unmarshal(data, &k) != nil || k.URL != address {
		return known{}
	}
	if _, err := os.Stat(r.file(k.Sum)); err != nil {
		return known{}
	}
	return k
}

func (r *Repo) save(k known) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	in, err := archive.Receive(r.Dir, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	defer in.Drop()
	return in.Place(filepath.Join(r.Dir, "index.json"))
}

// store keeps an index by its content, once it is proven to be one.
func (r *Repo) store(ctx context.Context, body io.Reader, by func() []string) (string, error) {
	in, err := archive.Receive(r.Dir, body, indexLimit)
	if err != nil {
		return "", err
	}
	defer in.Drop()
	if in.Err != nil {
		return "", gitops.Problemf(gitops.Unreachable, "cannot get %s/index.yaml: %w", gitops.PublicAddress(r.base), in.Err)
	}
	if in.Size > indexLimit {
		return "", gitops.Problemf(gitops.Invalid, "index.yaml has more than %d MiB", indexLimit>>20).Do("take old versions out of the repository, or split it")
	}
	if _, err := r.Room.Make(ctx, by, r.index(in.Sum, in.Name)); err != nil {
		return "", err
	}
	return in.Sum, in.Place(r.file(in.Sum))
}

// index makes the index with a sum of what a file has.
func (r *Repo) index(sum, file string) archive.Made {
	var size int64
	if info, err := os.Stat(file); err == nil {
		size = info.Size()
	}
	return archive.Made{Key: "index" + sum, Weight: chart.Weight(size), Build: func() (any, int64, error) {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, 0, lost(err)
		}
		x, err := chart.ParseIndex(data)
		if err != nil {
			return nil, 0, err
		}
		return x, x.Size(), nil
	}}
}

func lost(err error) error {
	return gitops.Problemf(gitops.Unreachable, "the local copy of the index is gone and will be fetched again: %w", err)
}

// touch tells that something stored is in use; without it, it is fetched once
// more some day.
func touch(name string) {
	now := time.Now()
	_ = os.Chtimes(name, now, now)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Stale reports whether the index is no longer in the cache.
func (v *View) Stale() bool {
	if v.repo.Room.Has("index" + v.sum) {
		return false
	}
	_, err := os.Stat(v.repo.file(v.sum))
	return err != nil
}

// find chooses a chart's version: of most indexes that reads what the chart has.
func (v *View) find(ctx context.Context, w Want) (release chart.Release, err error) {
	m := v.repo.index(v.sum, v.repo.file(v.sum))
	if kept, ok := v.repo.Room.Kept(m.Key); ok {
		m.Weight = min(m.Weight, kept.(*chart.Index).Cost(w.Chart))
	}
	err = v.repo.Room.Use(ctx, w.By, m, func(index any) (err error) {
		release, err = index.(*chart.Index).Find(w.Chart, w.Revision)
		return err
	})
	return release, err
}

// Want is what is asked of a repository.
type Want struct {
	// Chart is its name, Revision a version or a range.
	Chart, Revision string
	// Beyond is who gets the credential besides the repository itself.
	Beyond web.Beyond
	// By are the projects that ask, see slots.Slots.
	By func() []string
}

// Snapshot chooses a chart's version and unpacks it.
func (v *View) Snapshot(ctx context.Context, w Want) (*gitops.Snapshot, error) {
	release, err := v.find(ctx, w)
	if err != nil {
		return nil, err
	}
	if len(release.URLs) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "index.yaml has no address for chart %s %s", w.Chart, release.Version).Do("build the repository's index again")
	}
	address, err := v.repo.resolve(release.URLs[0])
	if err != nil {
		return nil, err
	}
	tree, err := v.repo.chart(ctx, download{v.repo.client, w.Beyond, address, v.sum}, release, w.By)
	if err != nil {
		return nil, err
	}
	return &gitops.Snapshot{Revision: release.Version, Tree: tree}, nil
}

// resolve makes an address of the index absolute, as seen from the index.
func (r *Repo) resolve(ref string) (string, error) {
	base, err := url.Parse(r.base + "/")
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "the repository's address is no URL")
	}
	u, err := base.Parse(ref)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return "", gitops.Problemf(gitops.Invalid, "index.yaml names %q, which is no web address", gitops.PublicAddress(ref)).Do("build the repository's index again")
	}
	if u.Host == base.Host && u.RawQuery == "" && strings.HasPrefix(u.Path, base.Path) {
		u.RawQuery = base.RawQuery
	}
	return u.String(), nil
}
