package helm

import (
	"bytes"
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
func (r *Repo) chart(ctx context.Context, from download, rel chart.Release) (*archive.Tree, error) {
	sum := strings.ToLower(strings.TrimPrefix(rel.Digest, "sha256:"))
	key := sum
	if len(key) != 64 {
		sum, key = "", digest([]byte(from.index+from.address))
	}
	if from.beyond.Rule != nil { // what one project may read is not for the next one
		key = digest([]byte(from.beyond.Rule.Key() + " " + key))
	} else if err := from.client.Reaches(from.address); err != nil {
		return nil, err
	}
	if t, ok := r.Memory.Get("chart" + r.Dir + key); ok {
		return t.(*archive.Tree), nil
	}
	file := filepath.Join(r.Dir, "charts", filepath.Base(key)+".tgz")
	touch(file)
	data, err := os.ReadFile(file)
	if err != nil || (sum != "" && digest(data) != sum) {
		if data, err = from.fetch(ctx, sum, r.Limits.Bytes); err != nil {
			return nil, err
		}
		if err := place(file, data); err != nil {
			return nil, err
		}
	}
	tree, err := archive.UnpackChart(bytes.NewReader(data), r.Limits)
	if err != nil {
		return nil, err
	}
	r.Memory.Put("chart"+r.Dir+key, tree, tree.Size())
	return tree, nil
}

// fetch returns the archive, whose sum is checked where it is not empty.
func (d download) fetch(ctx context.Context, sum string, limit int64) ([]byte, error) {
	res, err := d.client.GetBeyond(ctx, d.address, nil, d.beyond)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, gitops.Problemf(gitops.Unreachable, "cannot get %s: %w", gitops.PublicAddress(d.address), err)
	}
	if int64(len(data)) > limit {
		return nil, gitops.Problemf(gitops.Invalid, "chart archive %s has more than %d MiB", gitops.PublicAddress(d.address), limit>>20)
	}
	if got := digest(data); sum != "" && got != sum {
		return nil, gitops.Problemf(gitops.Invalid, "chart archive %s has digest %s, but index.yaml says %s", gitops.PublicAddress(d.address), got[:12], sum[:12]).
			Do("build the repository's index again, or find out who changed the archive")
	}
	return data, nil
}
