package preview

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/source"
)

type renderFlags struct {
	*command.Global

	output      string
	file        string
	mirrors     []string
	kubeVersion string
	apiVersions []string
	credentials checkout.CredentialsFlag
	rendering   checkout.RenderingFlags
}

// NewRender returns the command render.
func NewRender(g *command.Global) *cobra.Command {
	r := &renderFlags{Global: g, output: table.AsYAML, kubeVersion: ""}
	cmd := &cobra.Command{
		Use:   "render APP | render --file APPLICATION.yaml [--mirror URL=PATH]",
		Short: "Print an application's manifests as the engine would apply them",
		Long: "Print the manifests of an application: one on the hub, or one in a file, without any cluster. Nothing is\n" +
			"applied. With --file, addresses are read from --mirror folders or over the network, as --credentials says.",
		Example: "  causeway render addon-dev-reloader\n" +
			"  causeway render --file app.yaml --mirror https://git.example.com/team/shop=. --kube-version 1.34.0",
		Args: func(cmd *cobra.Command, args []string) error {
			if r.file != "" {
				return command.None(nil, args)
			}
			return command.One("an application, or give its file with --file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "file", "kube-version"); err != nil {
				return err
			}
			if r.file != "" {
				return r.offline(cmd.Context())
			}
			for _, name := range []string{"credentials", "api-versions", "plugin-dir", "sops-age-key-file"} {
				if cmd.Flags().Changed(name) {
					return command.Usagef("--%s is for an application in a file: add --file, or leave it out", name)
				}
			}
			return r.fromHub(cmd.Context(), args[0])
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	f := cmd.Flags()
	f.StringVarP(&r.output, "output", "o", r.output, "how to print: yaml, json, name, table, wide")
	f.StringVarP(&r.file, "file", "f", "", "file with Applications, rendered without a cluster; - is standard input")
	f.StringArrayVar(&r.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; can be repeated")
	f.Var(&r.credentials, "credentials", "with --file: "+checkout.CredentialsUsage)
	f.StringVar(&r.kubeVersion, "kube-version", "", "Kubernetes version that charts see (default: the cluster's, or "+checkout.DefaultKubeVersion+" with --file)")
	f.StringSliceVar(&r.apiVersions, "api-versions", nil, "with --file: API versions that charts see, as in monitoring.coreos.com/v1")
	r.rendering.Register(f)
	return cmd
}

func (r *renderFlags) fromHub(ctx context.Context, name string) error {
	mirrors, err := r.check()
	if err != nil {
		return err
	}
	h, err := target.Connect(r.Global)
	if err != nil {
		return err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	inspector, err := target.Inspect(ctx, r.Global, h, mirrors)
	if err != nil {
		return err
	}
	defer inspector.Close()
	rendering, err := r.render(ctx, inspector, application)
	if err == nil {
		err = inspector.Refusal(application, rendering)
	}
	if err != nil {
		return fmt.Errorf("cannot render application %s: %w", name, err)
	}
	return r.print([]*gitops.Rendering{rendering})
}

func (r *renderFlags) render(ctx context.Context, inspector *inspect.Inspector, application *v1alpha1.Application) (*gitops.Rendering, error) {
	if r.kubeVersion == "" {
		return inspector.Render(ctx, application)
	}
	cluster, err := inspector.Cluster(ctx, application)
	if err != nil {
		return nil, err
	}
	facts, err := cluster.Facts(ctx)
	if err != nil {
		return nil, err
	}
	facts.KubeVersion = strings.TrimPrefix(r.kubeVersion, "v")
	return inspector.RenderFor(ctx, application, facts)
}

func (r *renderFlags) check() ([]source.Mirror, error) {
	if err := table.CheckOutput(r.output, table.AsYAML, table.AsJSON, table.AsName, table.AsTable, table.AsWide); err != nil {
		return nil, err
	}
	if _, err := semver.NewVersion(r.kubeVersion); r.kubeVersion != "" && err != nil {
		return nil, command.Usagef("cannot use --kube-version %q: write a version, as in %s", r.kubeVersion, checkout.DefaultKubeVersion)
	}
	return command.SteadyMirrors(r.mirrors)
}

// offline renders the Applications of a file.
func (r *renderFlags) offline(ctx context.Context) error {
	mirrors, err := r.check()
	if err != nil {
		return err
	}
	text, err := r.read()
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", r.file, err)
	}
	applications, err := parseApplications(text)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", r.file, err)
	}
	log, err := command.LogTo(r.Err, "text", slog.LevelError)
	if err != nil {
		return err
	}
	version := strings.TrimPrefix(r.kubeVersion, "v")
	if version == "" {
		version = checkout.DefaultKubeVersion
	}
	credentials, err := checkout.Credentials(ctx, r.Global, r.credentials)
	if err != nil {
		return err
	}
	rendering, err := r.rendering.Load("")
	if err != nil {
		return err
	}
	stages, err := offline.OpenMirrors(ctx, offline.Config{Namespace: r.Namespace, Mirrors: mirrors, Log: log, Credentials: credentials, Rendering: rendering})
	if err != nil {
		return err
	}
	defer stages.Close()
	var all []*gitops.Rendering
	for _, application := range applications {
		rendering, err := stages.Render(ctx, application, gitops.Facts{KubeVersion: version, APIVersions: r.apiVersions})
		if err != nil {
			return fmt.Errorf("cannot render application %s: %w", application.Name, err)
		}
		all = append(all, rendering)
	}
	return r.print(all)
}

// maxInput bounds a file of Applications.
const maxInput = 16 << 20 // bytes

func (r *renderFlags) read() ([]byte, error) {
	if r.file != "-" {
		return command.ReadNamed(r.file, maxInput)
	}
	text, err := io.ReadAll(io.LimitReader(r.In, maxInput+1))
	if err == nil && len(text) > maxInput {
		err = fmt.Errorf("it is longer than %d MiB", maxInput>>20)
	}
	return text, err
}

// mostValuesOfFile are those of all Applications of a file.
const mostValuesOfFile = 1_000_000

// parseApplications reads all Applications of a file; other kinds may be
// there too.
func parseApplications(text []byte) ([]*v1alpha1.Application, error) {
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	values := bounded.NewBudget(mostValuesOfFile)
	var all []*v1alpha1.Application
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := values.Check(document); err != nil {
			return nil, err
		}
		found, err := applicationsIn(document)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no Application in it")
	}
	return all, nil
}

// applicationsIn are those of a document: itself, or those of a list, as kubectl and
// generate -o json print them.
func applicationsIn(document []byte) ([]*v1alpha1.Application, error) {
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := sigsyaml.Unmarshal(document, &list); err != nil || list.Kind != "List" && list.Kind != v1alpha1.ApplicationKind+"List" {
		list.Items = []json.RawMessage{document} // what has items of another form is no list
	}
	var all []*v1alpha1.Application
	for _, item := range list.Items {
		application := &v1alpha1.Application{}
		if err := sigsyaml.Unmarshal(item, &application.TypeMeta); err != nil {
			return nil, err
		}
		if application.Kind != v1alpha1.ApplicationKind || application.GroupVersionKind().Group != v1alpha1.Group {
			continue
		}
		if err := sigsyaml.Unmarshal(item, application); err != nil {
			return nil, err
		}
		all = append(all, application)
	}
	return all, nil
}

func (r *renderFlags) print(all []*gitops.Rendering) error {
	objects := []any{} // a list of nothing is one
	for _, rendering := range all {
		for _, w := range rendering.Warnings {
			if w.Reason == gitops.MissingValueFile {
				continue
			}
			_, _ = fmt.Fprintf(r.Err, "warning: %s\n", screen.Words(w.Message))
		}
		for _, m := range rendering.Manifests {
			objects = append(objects, m.Object.Object)
		}
	}
	switch r.output {
	case table.AsJSON:
		return table.PrintValue(r.Out, table.AsJSON, map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	case table.AsTable, table.AsWide:
		return table.Print(r.Global, manifestsTable(all), r.output)
	case table.AsName:
		return r.printNames(all)
	}
	for _, object := range objects {
		text, err := sigsyaml.Marshal(object)
		if err != nil {
			return fmt.Errorf("cannot print an object: %w", err)
		}
		if _, err := fmt.Fprintf(command.Exact(r.Out), "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

func manifestsTable(all []*gitops.Rendering) table.Table {
	t := table.Table{Keys: 3, Header: []string{"KIND", "NAMESPACE", "NAME", "SOURCE"}}
	for _, rendering := range all {
		for _, m := range rendering.Manifests {
			k := m.Key()
			t.Rows = append(t.Rows, []string{k.Kind, table.Dash(k.Namespace), k.Name, m.Origin.String()})
		}
	}
	return t
}

func (r *renderFlags) printNames(all []*gitops.Rendering) error {
	for _, rendering := range all {
		for _, m := range rendering.Manifests {
			k := m.Key()
			if _, err := fmt.Fprintln(r.Out, screen.Line(table.Qualified(k.Kind, k.Group)+"/"+k.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}
