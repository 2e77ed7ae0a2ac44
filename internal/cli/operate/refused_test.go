package operate

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestWordsThatCannotBeMeant are refused before anything is asked, with what to write instead.
func TestWordsThatCannotBeMeant(t *testing.T) {
	families := map[string]struct {
		made func(*command.Global) *cobra.Command
		// refused are arguments, with words of the refusal. An underscore is an empty argument.
		refused map[string]string
	}{
		"sync": {NewSync, map[string]string{
			"": "name the applications to sync", "_": "is no name of an application", "../x": "write NAME, or NAMESPACE/NAME", "shop --wait --async": "cannot take both --wait and --async",
			"shop --revision _": "--revision has no value", "shop --local _": "--local has no value", "a b --local .": "it is one application's", "shop --local . --wait": "cannot take --local with",
			"shop --local . --revision v1": "and not what Git says", "shop --resource Deployment:web": "write GROUP:KIND:NAME", "shop --resource apps:Deployment:shop/": "write GROUP:KIND:NAMESPACE/NAME",
			"shop --resource apps:Deployment:a/b/c": "write GROUP:KIND:NAMESPACE/NAME", "shop --sync-option Prune": "write NAME=VALUE, as in PruneLast=true", "shop --retries some": "invalid argument",
			"shop --retries -2": "cannot try again -2 times: write a number, or -1 for without end", "shop --resource apps:v1:Deployment:web": "write GROUP:KIND:NAME", "shop --resource rbac.authorization.k8s.io::a:b": "write GROUP:KIND:NAME",
			"shop" + strings.Repeat(" --sync-option A=b", mostOptions+1): "cannot take 51 times --sync-option: 50 at most",
		}},
		"wait": {NewWait, map[string]string{
			"": "name the applications to wait for, or choose them with -l or --project", "shop -l a=b": "cannot take both names and -l", "shop -A": "cannot take both names and -l", "shop --for sync": `did you mean "synced"?`,
			"shop --refresh=soft": "write --refresh, or --refresh=hard", "-l ==": "cannot understand --selector", "shop --revision _": "--revision has no value", "shop --refresh=": "--refresh has no value", "-l _ -A": "--selector has no value", "--project _": "--project has no value",
			"shop --revision 9d4": "is too short for a commit: write at least 7", "_": "is no name of an application", "a/b/c": "is no name of an application", "shop -o tree": "tree",
			"shop --for deleted,synced": "cannot wait for deleted and for anything else",
		}},
		"delete": {NewDelete, map[string]string{
			"": "name the applications to delete", "shop --cascade --no-cascade": "cannot take both --cascade and --no-cascade", "shop --propagation orphan": "write foreground or background",
			"shop --propagation background --no-cascade": "which --no-cascade leaves",
		}},
		"rollback": {NewRollback, map[string]string{"": "name an application", "a b c": "name an application, and a sync", "shop _": "see why the variable that it came from is empty", "shop --wait --async": "cannot take both --wait and --async", "shop 3 --history-file _": "--history-file has no value"}},
		"approve":  {NewApprove, map[string]string{"": "name the application, set/NAME or cluster/NAME", "shop --for 0s": "an approval has to hold for some time: --for 0s", "a b": `cannot take the argument "b"`, "shop --yes --digest _": "--digest has no value"}},
		"confirm":  {NewConfirm, map[string]string{"": "name the application", "shop --yes --digest _": "--digest has no value"}},
		"refresh":  {NewRefresh, map[string]string{"": "name the applications to look at again"}},
		"end":      {NewTerminate, map[string]string{"": "name the application whose sync is to end", "a b": "name the application whose sync is to end"}},
		"actions": {NewActions, map[string]string{
			"lst": `there is no command "lst"; did you mean "list"?`, "list": "name an application, and an object if not all are asked for", "list a b c": "name an application, and an object", "run shop web": "name an application, one of its objects, and an action",
			"list shop -o tree": "tree",
		}},
		"rollout": {NewRollout, map[string]string{"status": "name an application set", "status a -o name": "name", "pause": "name an application set", "stop": "there is no command"}},
	}
	for family, f := range families {
		t.Run(family, func(t *testing.T) { clitest.Refuses(t, f.made, f.refused) })
	}
}
