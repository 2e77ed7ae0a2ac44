package helm

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/chart"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// download is how an archive is fetched.
type download struct {
	client  *web.Client
	beyond  web.Beyond
	address string
	// index is the sum of the index that names the address.
	index string
}

// chart returns an unpacked archive: from memory, from disk, or from the
// server. Without a digest in the index a new index may mean new content.
func (r *Repo) chart(ctx context.Context, from download, rel chart.Release, by func() []string) (gitops.Tree, error) {
	sum := strings.ToLower(strings.TrimPrefix(rel.Digest, "sha256:"))
	key := sum
	if len(key) != 64 {
		sum, key = "", "at-"+digest([]byte(from.index+from.address))
	}
	// What one project may read is not for the next one, and no digest that an index says
	// is the key of anything else.
	if from.beyond.Rule != nil {
		key = "by-" + digest([]byte(from.beyond.Rule.Key()+" "+key))
	} else if err := from.client.Reaches(from.address); err != nil {
		return nil, err
	}
	file := filepath.Join(r.Dir, "charts", filepath.Base(key)+".tgz")
	packed := archive.Packed{
		Key: "chart" + r.Dir + key, Unpack: archive.UnpackChart, Limits: r.Limits, By: by,
		Open: func() (io.ReadSeekCloser, error) { return os.Open(file) },
	}
	if r.Room.Has(packed.Key) {
		return r.Room.Tree(ctx, packed)
	}
	touch(file)
	if !archive.Whole(file, sum) {
		if err := from.fetch(ctx, sum, r.Limits.Bytes, file); err != nil {
			return nil, err
		}
	}
	return r.Room.Tree(ctx, packed)
}

// fetch writes the archive into a file, once its sum is checked where it is
// not empty.
func (d download) fetch(ctx context.Context, sum string, limit int64, file string) error {
	res, err := d.client.GetBeyond(ctx, d.address, nil, d.beyond)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	in, err := archive.Receive(filepath.Dir(file), res.Body, limit)
	if err != nil {
		return err
	}
	defer in.Drop()
	switch {
	case in.Err != nil:
		return gitops.Problemf(gitops.Unreachable, "cannot get %s: %w", gitops.PublicAddress(d.address), in.Err)
	case in.Size > limit:
		return gitops.Problemf(gitops.Invalid, "chart archive %s has more than %d MiB", gitops.PublicAddress(d.address), limit>>20).
			Do("leave out of the chart what is not needed to render it, or split it")
	case sum != "" && in.Sum != sum:
		return gitops.Problemf(gitops.Invalid, "chart archive %s has digest %s, but index.yaml says %s", gitops.PublicAddress(d.address), in.Sum[:12], sum[:12]).
			Do("build the repository's index again, or find out who changed the archive")
	}
	return in.Place(file)
}
