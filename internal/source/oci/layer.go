package oci

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
)

const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// tree fetches a manifest's one layer and unpacks it: from memory, from
// disk, or from the registry. All of them are known by their digest.
func (r *Repo) tree(ctx context.Context, desc ocispec.Descriptor) (*archive.Tree, error) {
	if t, ok := r.Memory.Get(key(r, desc.Digest.String())); ok {
		return t.(*archive.Tree), nil
	}
	layer, err := r.layer(ctx, desc)
	if err != nil {
		return nil, err
	}
	data, err := r.blob(ctx, layer)
	if err != nil {
		return nil, err
	}
	unpack := archive.Unpack
	if layer.MediaType == chartLayer {
		unpack = archive.UnpackChart
	}
	t, err := unpack(bytes.NewReader(data), r.Limits)
	if err != nil {
		return nil, err
	}
	r.Memory.Put(key(r, desc.Digest.String()), t, t.Size())
	return t, nil
}

// layers are what a manifest is read into, and how much memory it may take, in
// bytes: one of a hundred layers takes some 100 KiB.
var layers = bounded.Cost{Element: 300, Object: 250, Member: 100}

const manifestMemory = 32 << 20

// layer reads the manifest and finds the layer that holds files; a chart
// may have a signature beside it.
func (r *Repo) layer(ctx context.Context, desc ocispec.Descriptor) (ocispec.Descriptor, error) {
	var none ocispec.Descriptor
	if desc.MediaType == ocispec.MediaTypeImageIndex || strings.Contains(desc.MediaType, "manifest.list") {
		return none, gitops.Problemf(gitops.Invalid, "%s is an index of several images, not one artifact", r.name).Do("name the digest of one artifact in targetRevision")
	}
	if desc.Size > manifestLimit {
		return none, gitops.Problemf(gitops.Invalid, "the manifest of %s has more than %d MiB", r.name, manifestLimit>>20)
	}
	data, err := content.FetchAll(ctx, r.remote, desc)
	if err != nil {
		return none, r.explain("cannot get the manifest", err)
	}
	m, err := r.manifest(data)
	if err != nil {
		return none, err
	}
	for _, l := range m.Layers {
		if l.MediaType == chartLayer {
			return l, nil
		}
	}
	if len(m.Layers) != 1 {
		return none, gitops.Problemf(gitops.Invalid, "%s has %d layers; an artifact has one", r.name, len(m.Layers)).Do("push the files as one tar layer")
	}
	return m.Layers[0], nil
}

func (r *Repo) manifest(text []byte) (m ocispec.Manifest, err error) {
	if bounded.Measured(text, layers) > manifestMemory {
		return m, gitops.Problemf(gitops.Invalid, "the manifest of %s takes more than %d MiB of memory", r.name, manifestMemory>>20)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, gitops.Problemf(gitops.Invalid, "cannot read the manifest of %s: %w", r.name, err)
	}
	return m, nil
}

func (r *Repo) blob(ctx context.Context, layer ocispec.Descriptor) ([]byte, error) {
	if err := layer.Digest.Validate(); err != nil || layer.Digest.Algorithm() != digest.SHA256 {
		return nil, gitops.Problemf(gitops.Invalid, "the manifest of %s has a digest that is not SHA-256", r.name)
	}
	if layer.Size > r.Limits.Bytes {
		return nil, gitops.Problemf(gitops.Invalid, "%s has %d MiB, more than the limit of %d MiB", r.name, layer.Size>>20, r.Limits.Bytes>>20)
	}
	file := filepath.Join(r.Dir, layer.Digest.Encoded()+".tar")
	touch(file)
	if data, err := os.ReadFile(file); err == nil && digest.FromBytes(data) == layer.Digest {
		return data, nil
	}
	data, err := content.FetchAll(ctx, r.remote, layer)
	if err != nil {
		return nil, r.explain("cannot get the content", err)
	}
	if err := place(r.Dir, file, data); err != nil {
		return nil, &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("cannot write into the cache folder: %v", err), Fix: "free disk space, or point --cache-dir at a folder that can be written", Err: err}
	}
	return data, nil
}

// touch tells that something stored is in use; without it, it is fetched once
// more some day.
func touch(name string) {
	now := time.Now()
	_ = os.Chtimes(name, now, now)
}

// place writes a file as a whole or not at all.
func place(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err == nil {
		return nil
	}
	if e := os.Remove(f.Name()); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}
