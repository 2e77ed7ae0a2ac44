// Package get has the commands that list and show what there is: objects of the fleet, trees, events, logs, sync windows.
package get
