package kustomize

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

// plugins goes through the configurations of generators, transformers and
// validators: they name files, too, beside the kustomization that lists them.
func (r *rewriting) plugins(k *types.Kustomization) error {
	lists := []*[]string{&k.Generators, &k.Transformers, &k.Validators}
	for i, list := range lists {
		var kept []string
		for _, entry := range *list {
			now, err := r.plugin(entry, k, i == 0)
			if err != nil {
				return err
			}
			r.changed = r.changed || now != entry
			if now != "" {
				kept = append(kept, now)
			}
		}
		*list = kept
	}
	return nil
}

// plugin returns what stands for an entry; empty when nothing of it is left.
func (r *rewriting) plugin(entry string, k *types.Kustomization, generator bool) (string, error) {
	if inPlace(entry) {
		text, changed, err := r.configs([]byte(entry), k, generator)
		if err != nil || !changed {
			return entry, err
		}
		return string(text), nil
	}
	rel, text, built, err := r.pluginText(entry)
	if err != nil {
		return "", err
	}
	now, changed, err := r.configs(text, k, generator)
	if err != nil || (!changed && !built) {
		return rel, err
	}
	if len(now) == 0 {
		return "", nil
	}
	return r.place(entry, &placed{text: now, at: r.disk.where(path.Join(r.dir, rel), 0), origin: r.disk.origin(path.Join(r.dir, rel))}), nil
}

// pluginText reads the configurations that an entry names; those of a folder
// are built first, so that all that is in them is seen.
func (r *rewriting) pluginText(entry string) (rel string, text []byte, built bool, err error) {
	if rel, err = r.resource(entry); err != nil {
		return "", nil, false, err
	}
	full := path.Join(r.dir, rel)
	if !r.disk.IsDir(full) {
		text, err = r.disk.read(full)
		return rel, text, false, err
	}
	if text, err = r.disk.nested(full); err == nil {
		err = r.disk.hold(full, text)
	}
	return rel, text, true, err
}

// nested builds a folder while another build waits for it. One with a schema would have
// it hold for both.
func (d *disk) nested(full string) ([]byte, error) {
	frames, inner := d.walk.frames, d.inner
	d.walk.frames, d.inner = slices.Clone(frames), true
	defer func() { d.walk.frames, d.inner = frames, inner }()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(d, full)
	if err != nil {
		return nil, err
	}
	return resources.AsYaml()
}

// configs rewrites the configurations in a text. Where nothing of them is changed, the
// text is what it was.
func (r *rewriting) configs(text []byte, k *types.Kustomization, generator bool) ([]byte, bool, error) {
	var kept []map[string]any
	changed := false
	for _, part := range document.Split(text) {
		var config map[string]any
		if err := r.disk.decode(part.Text, &config); err != nil {
			return nil, false, r.at(0, "cannot build %s: the configuration of a generator, transformer or validator cannot be read as a mapping: %w", r.name, err).Do("correct it")
		}
		keep, now, err := r.config(config, k, generator)
		if err != nil {
			return nil, false, err
		}
		changed = changed || now || !keep
		if keep {
			kept = append(kept, config)
		}
	}
	if !changed {
		return text, false, nil
	}
	out, err := r.texts(kept)
	return out, true, err
}

// texts writes configurations as one text. It is kept as long as the build.
func (r *rewriting) texts(configs []map[string]any) ([]byte, error) {
	var out bytes.Buffer
	for _, config := range configs {
		if err := r.disk.ctx.Err(); err != nil {
			return nil, err
		}
		text, err := bounded.WriteYAML(config)
		if err != nil {
			return nil, fmt.Errorf("cannot write the configuration of a plugin: %w", err)
		}
		if err := r.disk.hold(r.full, text); err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}

// config rewrites one configuration; keep is false for a chart, which the
// kustomization lists itself from then on.
func (r *rewriting) config(config map[string]any, k *types.Kustomization, generator bool) (keep, changed bool, err error) {
	if items, ok := config["items"].([]any); ok {
		return r.items(config, items, k, generator)
	}
	if config["kind"] == "HelmChartInflationGenerator" && generator {
		return false, true, r.addChart(config)
	}
	r.pluginCandidate(config)
	before := r.changed
	r.changed = false
	err = r.fields(config)
	changed, r.changed = r.changed, before
	return true, changed, err
}

// pluginCandidate notes what the configuration of a generator makes.
func (r *rewriting) pluginCandidate(config map[string]any) {
	kind, _ := config["kind"].(string)
	made, ok := strings.CutSuffix(kind, "Generator")
	metadata, _ := config["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); ok && name != "" {
		r.generated(made, name, r.full, r.written)
	}
}

func (r *rewriting) items(list map[string]any, items []any, k *types.Kustomization, generator bool) (keep, changed bool, err error) {
	var kept []any
	for _, item := range items {
		config, ok := item.(map[string]any)
		if !ok {
			return true, false, nil
		}
		keep, now, err := r.config(config, k, generator)
		if err != nil {
			return false, false, err
		}
		changed = changed || now
		if keep {
			kept = append(kept, config)
		}
	}
	list["items"] = kept
	return len(kept) > 0 || len(items) == 0, changed, nil
}

// fields goes through the fields that hold paths, in any case of their names.
func (r *rewriting) fields(config map[string]any) error {
	for field, value := range config {
		var err error
		switch strings.ToLower(field) {
		case "path", "targetfilepath", "env", "paths", "envs":
			config[field], err = r.values(value, r.file)
		case "files":
			config[field], err = r.values(value, r.keyed)
		case "replacements":
			list, _ := value.([]any)
			for _, item := range list {
				if m, ok := item.(map[string]any); ok && err == nil {
					err = r.fields(m)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// values changes a text, or each text of a list.
func (r *rewriting) values(value any, change func(string) (string, error)) (any, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for i, item := range list {
		text, isText := item.(string)
		if !isText || inPlace(text) {
			continue
		}
		if err := r.one(&text, change); err != nil {
			return nil, err
		}
		list[i] = text
	}
	if !ok {
		return list[0], nil
	}
	return list, nil
}
