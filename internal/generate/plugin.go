package generate

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
)

// Settings reads what generators refer to by name, in the set's namespace.
type Settings interface {
	// ConfigMap returns the data of a ConfigMap.
	ConfigMap(ctx context.Context, namespace, name string) (map[string]string, error)
	// SecretKey returns one value of a Secret.
	SecretKey(ctx context.Context, namespace, name, key string) (string, error)
}

// WithSettings lets generators read ConfigMaps and Secrets; without it plugin
// and clusterDecisionResource are errors.
func WithSettings(s Settings) Option { return func(g *Generator) { g.settings = s } }

type pluginKind struct{}

func (pluginKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Plugin == nil {
		return nil
	}
	return &g.Plugin.Template
}

// params asks the plugin's service. What it answers are parameters as they
// are with Go templates, and flattened in the fast mode.
func (pluginKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	if r.settings == nil {
		return nil, offline("plugin", "ConfigMaps and Secrets")
	}
	r.asksPlugin()
	service, err := r.pluginService(g.Plugin.ConfigMapRef.Name)
	if err != nil {
		return nil, err
	}
	input, err := decodedInput(g.Plugin.Input.Parameters)
	if err != nil {
		return nil, err
	}
	answer, err := seat.Away(r.ctx, service.base.Host, func(ctx context.Context) ([]map[string]any, error) { return service.ask(ctx, r.set.Name, input) })
	if err != nil {
		return nil, errorf("cannot ask the plugin of ConfigMap %s: %w", g.Plugin.ConfigMapRef.Name, err)
	}
	var out []paramSet
	for i, found := range answer {
		p, err := r.pluginParams(found, input)
		if err != nil {
			return nil, err
		}
		if err := r.addValues(p, g.Plugin.Values); err != nil {
			return nil, errorf("cannot render values for result %d of the plugin: %w", i+1, err)
		}
		if out, err = r.keep(out, p, weigh(p)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pluginParams adds the input, under a key of its own that wins over the
// plugin's.
func (r *run) pluginParams(found, input map[string]any) (Params, error) {
	generator := map[string]any{"input": map[string]any{"parameters": input}}
	if r.set.Spec.GoTemplate {
		p := make(Params, len(found)+1)
		maps.Copy(p, found)
		p["generator"] = copyJSON(generator)
		return p, nil
	}
	p := make(Params, len(found)+len(input))
	if err := r.addLeaves(p, found); err != nil {
		return nil, err
	}
	delete(p, "generator")
	return p, r.addLeaves(p, map[string]any{"generator": generator})
}

func decodedInput(parameters v1alpha1.PluginParameters) (map[string]any, error) {
	out := make(map[string]any, len(parameters))
	for name, raw := range parameters {
		var value any
		if err := json.Unmarshal(raw.Raw, &value); err != nil {
			return nil, errorf("cannot read input parameter %q of the plugin: %w", name, err)
		}
		out[name] = value
	}
	return out, nil
}

// pluginService reads where the plugin is and how to sign in.
func (r *run) pluginService(configMap string) (*pluginService, error) {
	data, err := r.settings.ConfigMap(r.ctx, r.set.Namespace, configMap)
	if err != nil {
		return nil, unreachable(errorf("cannot read ConfigMap %s of a plugin generator: %w", configMap, err))
	}
	wrong := func(key, why string) error {
		return problemf(gitops.Invalid, "ConfigMap %s of a plugin generator: %s %s", configMap, word(key), word(why)).
			Do("correct the ConfigMap")
	}
	base, err := serviceURL(data["baseUrl"])
	if err != nil {
		return nil, wrong("baseUrl", err.Error())
	}
	name, key, ok := secretRef(data["token"])
	if !ok {
		return nil, wrong("token", "does not name a key of a Secret as $key or $secret:key")
	}
	timeout := defaultPluginTime
	if text, ok := data["requestTimeout"]; ok {
		seconds, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || seconds < 0 {
			return nil, wrong("requestTimeout", "is no number of seconds")
		}
		if seconds > 0 {
			timeout = gitops.Seconds(int64(seconds))
		}
	}
	token, err := r.settings.SecretKey(r.ctx, r.set.Namespace, name, key)
	if err != nil {
		return nil, unreachable(errorf("cannot read the token of a plugin generator: %w", err))
	}
	return &pluginService{base: base, token: strings.TrimSpace(token), timeout: timeout}, nil
}

// defaultSecret holds the values that are named without a Secret.
const defaultSecret = "argocd-secret"

// secretRef reads $key or $secret:key.
func secretRef(text string) (name, key string, ok bool) {
	ref, dollar := strings.CutPrefix(text, "$")
	if !dollar || ref == "" {
		return "", "", false
	}
	name, key, has := strings.Cut(ref, ":")
	if !has {
		return defaultSecret, ref, true
	}
	return name, key, name != "" && key != ""
}
