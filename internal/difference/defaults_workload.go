package difference

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func fillWorkload(o any) bool {
	switch o := o.(type) {
	case *appsv1.Deployment:
		fillDeployment(&o.Spec)
	case *appsv1.StatefulSet:
		fillStatefulSet(&o.Spec)
	case *appsv1.DaemonSet:
		or(&o.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
		if o.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			orPointer(&o.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
			orPointer(&o.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
			orPointer(&o.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
		}
		orPointer(&o.Spec.RevisionHistoryLimit, 10)
	case *appsv1.ReplicaSet:
		orPointer(&o.Spec.Replicas, 1)
	case *batchv1.Job:
		fillJob(o)
	case *batchv1.PodFailurePolicyOnPodConditionsPattern:
		or(&o.Status, corev1.ConditionTrue)
	case *batchv1.CronJobSpec:
		or(&o.ConcurrencyPolicy, batchv1.AllowConcurrent)
		orPointer(&o.Suspend, false)
		orPointer(&o.SuccessfulJobsHistoryLimit, 3)
		orPointer(&o.FailedJobsHistoryLimit, 1)
	case *autoscalingv1.HorizontalPodAutoscaler:
		orPointer(&o.Spec.MinReplicas, 1)
	case *autoscalingv2.HorizontalPodAutoscaler:
		fillAutoscaler(&o.Spec)
	default:
		return false
	}
	return true
}

func fillDeployment(s *appsv1.DeploymentSpec) {
	orPointer(&s.Replicas, 1)
	or(&s.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if s.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		orPointer(&s.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		orPointer(&s.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		orPointer(&s.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	orPointer(&s.RevisionHistoryLimit, 10)
	orPointer(&s.ProgressDeadlineSeconds, 600)
}

func fillStatefulSet(s *appsv1.StatefulSetSpec) {
	or(&s.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	if s.UpdateStrategy.Type == "" { // what names its strategy gets no partition
		s.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		orPointer(&s.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if s.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && s.UpdateStrategy.RollingUpdate != nil {
		orPointer(&s.UpdateStrategy.RollingUpdate.Partition, 0)
	}
	orPointer(&s.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	or(&s.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	or(&s.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orPointer(&s.Replicas, 1)
	orPointer(&s.RevisionHistoryLimit, 10)
}

func fillJob(j *batchv1.Job) {
	s := &j.Spec
	if s.Completions == nil && s.Parallelism == nil {
		orPointer(&s.Completions, 1)
	}
	orPointer(&s.Parallelism, 1)
	if s.BackoffLimitPerIndex != nil {
		orPointer(&s.BackoffLimit, math.MaxInt32)
	}
	orPointer(&s.BackoffLimit, 6)
	if len(s.Template.Labels) > 0 && len(j.Labels) == 0 {
		j.Labels = s.Template.Labels
	}
	orPointer(&s.CompletionMode, batchv1.NonIndexedCompletion)
	orPointer(&s.Suspend, false)
	orPointer(&s.ManualSelector, false)
	if s.PodFailurePolicy != nil {
		orPointer(&s.PodReplacementPolicy, batchv1.Failed)
	}
	orPointer(&s.PodReplacementPolicy, batchv1.TerminatingOrFailed)
}

func fillAutoscaler(s *autoscalingv2.HorizontalPodAutoscalerSpec) {
	const utilization int32 = 80
	orPointer(&s.MinReplicas, 1)
	if len(s.Metrics) == 0 {
		share := utilization
		s.Metrics = []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &share},
		}}}
	}
	if s.Behavior == nil {
		return
	}
	policies := func(t autoscalingv2.HPAScalingPolicyType, value int32) autoscalingv2.HPAScalingPolicy {
		return autoscalingv2.HPAScalingPolicy{Type: t, Value: value, PeriodSeconds: 15}
	}
	orPointer(&s.Behavior.ScaleUp, autoscalingv2.HPAScalingRules{})
	fillScaling(s.Behavior.ScaleUp, policies(autoscalingv2.PodsScalingPolicy, 4), policies(autoscalingv2.PercentScalingPolicy, 100))
	orPointer(&s.Behavior.ScaleUp.StabilizationWindowSeconds, 0)
	orPointer(&s.Behavior.ScaleDown, autoscalingv2.HPAScalingRules{})
	fillScaling(s.Behavior.ScaleDown, policies(autoscalingv2.PercentScalingPolicy, 100))
}

func fillScaling(r *autoscalingv2.HPAScalingRules, policies ...autoscalingv2.HPAScalingPolicy) {
	orPointer(&r.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if len(r.Policies) == 0 {
		r.Policies = policies
	}
}
