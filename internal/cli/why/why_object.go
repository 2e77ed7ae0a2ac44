package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/differences"
	"github.com/causeway-gitops/causeway/internal/cli/past"
	"github.com/causeway-gitops/causeway/internal/cli/secrets"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type whyObjectFlags struct {
	past.Flags

	// chain is what is asked of the bridge: CLUSTER/KEY, and APP --value.
	chain whyChainFlags
	// namespace of the application, if it is not the control namespace.
	namespace string
	// where Secrets are looked for.
	where secrets.Where
}

// objectName is what `why` is asked about: APP/KIND/NAME or
// APP/KIND/NAMESPACE/NAME.
type objectName struct{ app, kind, namespace, name string }

func parseObjectName(text string) (objectName, error) {
	parts := strings.Split(text, "/")
	switch {
	case slices.Contains(parts, ""):
	case len(parts) == 3:
		return objectName{app: parts[0], kind: parts[1], name: parts[2]}, nil
	case len(parts) == 4:
		return objectName{app: parts[0], kind: parts[1], namespace: parts[2], name: parts[3]}, nil
	}
	return objectName{}, command.Usagef("cannot understand %q: write APP/KIND/NAME, as in shop/Deployment/web, CLUSTER/KEY, as in prod/region, or APP alone", text)
}

func (o objectName) is(kind, namespace, name string) bool {
	return strings.EqualFold(o.kind, kind) && o.name == name && (o.namespace == "" || o.namespace == namespace)
}

// New returns the command why.
func New(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{}
	(&whyObjectFlags{Flags: past.Flags{Global: g}, chain: whyChainFlags{Flags: checkout.Flags{Global: g}, output: table.AsTable}}).object(cmd)
	cmd.AddCommand(newWhyValue(g))
	return cmd
}

// object is the command `why`, whose argument says what it is about.
func (w *whyObjectFlags) object(cmd *cobra.Command) {
	cmd.Use = "why APP | APP/KIND/NAME | secret/NAME | CLUSTER/KEY | APP --value PATH | APP --values"
	cmd.Short = "Explain why an application or an object is as it is, what follows from a key of a cluster, or where a value comes from"
	cmd.Long = "Explain the state of an application or of one of its objects, or the origin and the effect of a value. The argument says which:\n\n" +
		"  APP                 why the application is OutOfSync, waiting or not synced: what differs, dependencies, sync windows, a guard\n" +
		"                      or a rollback that holds it, a revision that failed\n" +
		"  APP/KIND/NAME       why the object is OutOfSync, what it waits for, why it was pruned or refused, and what the last syncs did\n" +
		"                      with it; where it differs from Git, a dry run shows the fields. APP/KIND/NAMESPACE/NAME works, too\n" +
		"  secret/NAME         which ExternalSecret, store, entries and versions a Secret of a cluster is made of, how old it is, what the\n" +
		"                      last error was, and which workloads use it. Values are not read. secret/NAMESPACE/NAME works, too\n" +
		"  CLUSTER/KEY         what follows from a label or annotation of the cluster: who set it, who reads it, and which applications,\n" +
		"                      parameters and fields of objects another value would change\n" +
		"  APP --value PATH    where a field of an object (Deployment/web:spec.replicas) or a Helm value (image.tag) comes from\n" +
		"  APP --values        which layers each Helm value has: the chart, value files, values of the Application, parameters\n\n" +
		"With --repo, the last three read a repository and need no hub."
	cmd.Example = "  causeway why shop\n  causeway why shop/Deployment/web\n  causeway why shop/ConfigMap/default/settings\n  causeway why secret/database --cluster prod\n" +
		"  causeway why prod/environment\n  causeway why prod/annotations.region --repo . --clusters clusters/\n" +
		"  causeway why shop-prod --value Deployment/web:spec.replicas\n  causeway why shop-prod --values"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := command.One("an application, an object, as in shop/Deployment/web, or a key of a cluster, as in prod/region")(cmd, args); err != nil {
			return err
		}
		if w.chain.Asked(cmd) {
			return nil // it is a key, or an application of the checkout
		}
		return w.understands(args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w.chain.offline = w.chain.Asked(cmd)
		if err := w.consistent(cmd, args[0]); err != nil {
			return err
		}
		return w.answer(cmd.Context(), args[0])
	}
	w.chain.register(cmd)
	cmd.Flags().StringVarP(&w.namespace, "app-namespace", "N", "", "namespace of the application, if it is not the control namespace")
	w.where.Register(cmd.Flags(), "")
	w.Register(cmd.Flags())
}

// consistent refuses flags that do not go together, or with what is asked about.
func (w *whyObjectFlags) consistent(cmd *cobra.Command, text string) error {
	if err := w.chain.Unused(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("value") && w.chain.value == "" {
		return command.Usagef("--value is empty: name a Helm value, as image.tag, or OBJECT:FIELD, as Deployment/web:spec.replicas; causeway why APP --values prints all Helm values")
	}
	if w.chain.values && cmd.Flags().Changed("value") {
		return command.Usagef("--values prints all Helm values, and --value is about one: leave one of them out")
	}
	if w.chain.values && w.chain.offline && w.namespace != "" {
		return command.Usagef("--app-namespace is for applications on a hub: leave it or --repo out")
	}
	return w.onlySecrets(cmd, text)
}

// answer finds out what a question is about.
func (w *whyObjectFlags) answer(ctx context.Context, text string) error {
	switch {
	case w.asksSecret(text):
		return w.secret(ctx, text)
	case w.chain.values:
		return w.chain.allValues(ctx, w.qualified(text))
	case w.namespace != "":
		return w.elsewhere(ctx, text)
	case w.chain.value != "" || w.chain.offline || isKey(text):
		return w.chain.run(ctx, text)
	}
	return w.run(ctx, text)
}

// understands refuses what names no object, where an object is what is meant.
func (w *whyObjectFlags) understands(text string) error {
	if !strings.Contains(text, "/") || w.chain.values || w.chain.value != "" || isKey(text) {
		return nil
	}
	_, err := parseObjectName(text)
	return err
}

// elsewhere is about an application in another namespace than the control
// namespace, whose name has no place in APP/KIND/NAMESPACE/NAME.
func (w *whyObjectFlags) elsewhere(ctx context.Context, text string) error {
	if w.chain.value != "" || w.chain.offline {
		return command.Usagef("--app-namespace is for APP and APP/KIND/NAME on a hub: leave --value and --repo out")
	}
	if strings.Contains(w.namespace, "/") {
		return command.Usagef("--app-namespace %q is no namespace", w.namespace)
	}
	return w.run(ctx, text)
}

// qualified is the name of an application as it is looked up.
func (w *whyObjectFlags) qualified(app string) string {
	if w.namespace == "" {
		return app
	}
	return w.namespace + "/" + app
}

func (w *whyObjectFlags) run(ctx context.Context, text string) error {
	if !strings.Contains(text, "/") {
		return w.runApplication(ctx, w.qualified(text))
	}
	wanted, err := parseObjectName(text)
	if err != nil {
		return err
	}
	mirrors, err := command.SteadyMirrors(w.chain.Mirrors)
	if err != nil {
		return err
	}
	h, err := target.ReachWithout(w.Global, w.chain.Mirrors)
	if err != nil {
		return err
	}
	application, err := h.Application(ctx, w.qualified(wanted.app))
	if err != nil {
		return err
	}
	lines := w.now(application, h.NameOf(application), wanted)
	past, pastErr := w.past(ctx, h, application, wanted)
	if lines == nil {
		if len(past) == 0 && !planned(application, wanted) {
			return unknownObject(application, wanted)
		}
		lines = []string{w.Style(w.Out).Title(wanted.kind+" "+wanted.name) + " is not among the objects of application " + wanted.app + " now"}
	}
	lines = append(lines, operationLines(application, wanted)...)
	if r := resourceOf(application, wanted); r != nil && r.Status == v1alpha1.SyncStatusCodeOutOfSync && !r.RequiresPruning {
		inspector, err := target.Look(ctx, w.Global, h, mirrors)
		if err != nil {
			return err
		}
		defer inspector.Close()
		lines = append(lines, w.differs(ctx, inspector, application, wanted)...)
		lines = append(lines, closed(ctx, h, application)...)
	}
	lines = append(lines, past...)
	if pastErr != nil {
		lines = append(lines, "  no history: "+screen.Words(pastErr.Error()))
	}
	_, err = fmt.Fprintln(w.Out, strings.Join(lines, "\n"))
	return err
}

func (w *whyObjectFlags) runApplication(ctx context.Context, name string) error {
	h, err := target.ReachWithout(w.Global, w.chain.Mirrors)
	if err != nil {
		return err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.Out, strings.Join(w.application(ctx, h, application), "\n"))
	return err
}

// unknownObject is the answer about what neither the application nor its
// history knows.
func unknownObject(application *v1alpha1.Application, o objectName) error {
	var known []string
	for _, r := range application.Status.Resources {
		known = append(known, r.Kind+"/"+r.Name)
	}
	wrong := o.kind + "/" + o.name
	return fmt.Errorf("application %s has no object %s, nor had its last syncs%s", o.app, wrong, gitops.DidYouMean(wrong, known))
}

func resourceOf(application *v1alpha1.Application, o objectName) *v1alpha1.ResourceStatus {
	for i := range application.Status.Resources {
		if r := &application.Status.Resources[i]; o.is(r.Kind, r.Namespace, r.Name) {
			return r
		}
	}
	return nil
}

// planned reports whether the last operation met the object.
func planned(application *v1alpha1.Application, o objectName) bool {
	st := application.Status.OperationState
	return st != nil && st.SyncResult != nil && slices.ContainsFunc(st.SyncResult.Resources, func(r v1alpha1.ResourceResult) bool {
		return o.is(r.Kind, r.Namespace, r.Name)
	})
}

// now tells how the object is, and why, as far as the status knows.
func (w *whyObjectFlags) now(application *v1alpha1.Application, name string, o objectName) []string {
	r := resourceOf(application, o)
	if r == nil {
		return nil
	}
	style := w.Style(w.Out)
	health := "no health of its own"
	if r.Health != nil && r.Health.Status != "" {
		health = said(style.Word(string(r.Health.Status)), r.Health.Message)
	}
	lines := []string{style.Title(gitops.ObjectName(r.Kind, r.Namespace, r.Name)) + " " +
		style.Word(cmp.Or(string(r.Status), "hook")) + ", " + health}
	switch {
	case r.RequiresPruning:
		lines = append(lines, "  it is in the cluster and no longer in the sources: "+pruning(application, name, r))
	case r.Status == v1alpha1.SyncStatusCodeOutOfSync && r.Health != nil && r.Health.Status == v1alpha1.HealthStatusMissing:
		lines = append(lines, "  it is in the sources and not in the cluster")
	}
	for _, c := range application.Status.Conditions {
		if concerns(c, r) {
			lines = append(lines, "  "+said(c.Type, c.Message))
		}
	}
	return lines
}

// concerns reports whether a condition says something of the object that is not
// said anyway.
func concerns(c v1alpha1.ApplicationCondition, r *v1alpha1.ResourceStatus) bool {
	switch c.Type {
	case v1alpha1.ApplicationConditionDeletionHeldError:
		return false // see pruning
	case v1alpha1.ApplicationConditionDriftWarning:
		if r.Status == v1alpha1.SyncStatusCodeOutOfSync {
			return false // see differs
		}
	case v1alpha1.ApplicationConditionRolledBackWarning:
		return r.Status == v1alpha1.SyncStatusCodeOutOfSync
	}
	return strings.Contains(c.Message, r.Name)
}

func pruning(application *v1alpha1.Application, name string, r *v1alpha1.ResourceStatus) string {
	switch {
	case len(approval.Held(application)) > 0:
		return "its deletion is held, as one of many; causeway approve " + name + " shows the list, and approves it"
	case r.RequiresDeletionConfirmation:
		return "it goes when the deletion is confirmed (Prune=confirm): causeway approve " + name
	case !application.Spec.SyncPolicy.AutomatedPrune():
		return "automated syncs do not prune; causeway sync " + name + " --prune deletes it"
	}
	return "the next sync deletes it, unless Prune=false or a guard keeps it"
}

// operationLines tell what the last operation did with the object, and whether
// it waits for it.
func operationLines(application *v1alpha1.Application, o objectName) []string {
	st := application.Status.OperationState
	if st == nil {
		return []string{"  it was never synced"}
	}
	var lines []string
	if st.Runs() {
		lines = append(lines, "  a sync runs: "+screen.Words(cmp.Or(st.Message, "it has just begun")))
	}
	if st.SyncResult == nil {
		return lines
	}
	for _, r := range st.SyncResult.Resources {
		if o.is(r.Kind, r.Namespace, r.Name) {
			lines = append(lines, fmt.Sprintf("  last operation (%s): %s", st.Phase, said(cmp.Or(string(r.Status), string(r.HookPhase)), r.Message)))
		}
	}
	return lines
}

// closed tells that sync windows keep an automated sync from running.
func closed(ctx context.Context, h *target.Hub, application *v1alpha1.Application) []string {
	s, err := target.Schedule(ctx, h, application)
	if err != nil {
		return []string{"  its project cannot be read: " + screen.Words(err.Error())}
	}
	if s.Automated != "now" && application.Spec.SyncPolicy.IsAutomated() {
		return []string{fmt.Sprintf("  sync windows of project %s: the next automated sync may run %s (causeway windows %s)", s.Project, s.Automated, h.NameOf(application))}
	}
	return nil
}

// differs tells in which fields the object differs from Git.
func (w *whyObjectFlags) differs(ctx context.Context, inspector target.Looker, application *v1alpha1.Application, o objectName) []string {
	all, err := inspector.Diff(ctx, application)
	if err != nil {
		return []string{"  its differences cannot be determined: " + screen.Words(err.Error())}
	}
	for _, d := range differences.Printed(all) {
		if !o.is(d.Kind, d.Namespace, d.Name) {
			continue
		}
		lines := []string{"  it differs from " + cmp.Or(d.Source, "the sources") + ":"}
		if d.Drifted != "" {
			lines = append([]string{"  it " + screen.Words(d.Drifted)}, lines...)
		}
		for _, c := range d.Changes {
			lines = append(lines, fmt.Sprintf("    %s: is %s, should be %s", cmp.Or(c.Path, "the object"), table.CompactJSON(c.Old), table.CompactJSON(c.New)))
		}
		return flat(lines)
	}
	return []string{"  the API server finds no difference now"}
}

// pastSyncs is how many syncs are looked at for what they did with an object.
const pastSyncs = 5

// past tells what the last syncs did with the object. Without a history the
// rest of the answer still stands.
func (w *whyObjectFlags) past(ctx context.Context, h *target.Hub, application *v1alpha1.Application, o objectName) ([]string, error) {
	from, err := h.HistorianOf(ctx, w.File, application)
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	list, err := from.List(ctx, application.Namespace, application.Name, pastSyncs)
	if err != nil {
		return nil, err
	}
	var lines []string
	for i := range list {
		trace, err := from.Trace(ctx, list[i].ID)
		if err != nil || trace.Sync == nil {
			continue
		}
		for _, w := range trace.Sync.Waves {
			for j := range w.Objects {
				if done := &w.Objects[j]; o.is(done.Kind, done.Namespace, done.Name) {
					lines = append(lines, pastLine(&list[i], w, done))
				}
			}
		}
	}
	if len(lines) > 0 {
		lines = append([]string{"  the last syncs:"}, lines...)
	}
	return lines, nil
}

func pastLine(s *history.Sync, w history.Wave, o *history.Object) string {
	return fmt.Sprintf("    %s ago, %s, %s wave %d: %s (trace %s)", table.Age(s.Started, time.Now()), past.Caused(s), w.Phase, w.Number, screen.Words(cmp.Or(o.Message, o.Status)), past.TraceID(s))
}
