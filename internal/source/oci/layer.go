package oci

import (
	"context"
	"encoding/json"
	"io"
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
func (r *Repo) tree(ctx context.Context, desc ocispec.Descriptor, by func() []string) (gitops.Tree, error) {
	layer, err := r.content(ctx, desc, by)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(r.Dir, layer.Digest.Encoded()+".tar")
	packed := archive.Packed{
		Key: key(r, desc.Digest.String()), Unpack: archive.Unpack, Limits: r.Limits, By: by,
		Open: func() (io.ReadSeekCloser, error) { return os.Open(file) },
	}
	if layer.MediaType == chartLayer {
		packed.Unpack = archive.UnpackChart
	}
	if !r.Room.Has(packed.Key) {
		if err := r.blob(ctx, layer, file); err != nil {
			return nil, err
		}
	}
	return r.Room.Tree(ctx, packed)
}

// mostContents bounds the manifests whose layer is remembered.
const mostContents = 256

// content is a manifest's layer, for which the manifest is read once.
func (r *Repo) content(ctx context.Context, desc ocispec.Descriptor, by func() []string) (ocispec.Descriptor, error) {
	r.mu.Lock()
	known, ok := r.contents[desc.Digest]
	r.mu.Unlock()
	if ok {
		return known, nil
	}
	layer, err := r.layer(ctx, desc, by)
	if err != nil {
		return layer, err
	}
	if err := r.admit(layer); err != nil {
		return layer, err
	}
	known = ocispec.Descriptor{Digest: layer.Digest, Size: layer.Size}
	if layer.MediaType == chartLayer {
		known.MediaType = chartLayer
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.contents == nil || len(r.contents) >= mostContents {
		r.contents = map[digest.Digest]ocispec.Descriptor{}
	}
	r.contents[desc.Digest] = known
	return known, nil
}

// admit refuses what cannot be checked, and what is too large.
func (r *Repo) admit(layer ocispec.Descriptor) error {
	if err := layer.Digest.Validate(); err != nil || layer.Digest.Algorithm() != digest.SHA256 {
		return gitops.Problemf(gitops.Invalid, "the manifest of %s has a digest that is not SHA-256", r.name)
	}
	if layer.Size > r.Limits.Bytes {
		return gitops.Problemf(gitops.Invalid, "%s has %d MiB, more than the limit of %d MiB", r.name, layer.Size>>20, r.Limits.Bytes>>20).
			Do("leave out of the artifact what is not needed to render it, or split it")
	}
	return nil
}

// layers are what a manifest is read into, and how much memory it may take, in
// bytes: one of a hundred layers takes some 100 KiB.
var layers = bounded.Cost{Element: 300, Object: 250, Member: 100}

const manifestMemory = 32 << 20

// layer fetches the manifest and finds the layer that holds files.
func (r *Repo) layer(ctx context.Context, desc ocispec.Descriptor, by func() []string) (found ocispec.Descriptor, err error) {
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
	err = r.Room.Work(ctx, by, bounded.Measured(data, layers), func() (err error) {
		found, err = r.files(data)
		return err
	})
	return found, err
}

// files is the layer of a manifest that holds files; a chart may have a
// signature beside it.
func (r *Repo) files(manifest []byte) (ocispec.Descriptor, error) {
	var none ocispec.Descriptor
	m, err := r.manifest(manifest)
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

// blob brings a layer into a file, unless it is there.
func (r *Repo) blob(ctx context.Context, layer ocispec.Descriptor, file string) error {
	touch(file)
	sum := layer.Digest.Encoded()
	if archive.Whole(file, sum) {
		return nil
	}
	body, err := r.remote.Blobs().Fetch(ctx, layer)
	if err != nil {
		return r.explain("cannot get the content", err)
	}
	defer func() { _ = body.Close() }() // it was only read
	in, err := archive.Receive(r.Dir, body, layer.Size)
	if err != nil {
		return err
	}
	defer in.Drop()
	if in.Err != nil {
		return r.explain("cannot get the content", in.Err)
	}
	if in.Size != layer.Size || in.Sum != sum {
		return r.explain("cannot get the content", content.ErrMismatchedDigest)
	}
	return in.Place(file)
}

// touch tells that something stored is in use; without it, it is fetched once
// more some day.
func touch(name string) {
	now := time.Now()
	_ = os.Chtimes(name, now, now)
}
