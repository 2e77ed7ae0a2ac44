// Package deletion takes an Application that is being deleted through the steps that its finalizers stand for: PreDelete
// hooks, its objects in descending waves, PostDelete hooks.
package deletion
