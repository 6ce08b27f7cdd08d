# title = "AWS EC2: terminates the instance, or powers it off"
# ends = "poweroff"
# sky = "aws"
# needs = "nothing: powered off, an instance stops, or terminates where it was started with --instance-initiated-shutdown-behavior terminate. With the aws program and the right ec2:TerminateInstances it terminates either way"
# read = [
#   "docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_ChangingInstanceInitiatedShutdownBehavior.html",
#   "docs.aws.amazon.com/cli/latest/reference/ec2/terminate-instances.html",
#   "docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html"]
# date = "2026-11-25"
release_machine() {
  about=http://169.254.169.254/latest
  token=$(request PUT $about/api/token '' 'X-aws-ec2-metadata-token-ttl-seconds: 300') &&
    instance=$(request GET $about/meta-data/instance-id '' "X-aws-ec2-metadata-token: $token") &&
    region=$(request GET $about/meta-data/placement/region '' "X-aws-ec2-metadata-token: $token") &&
    has aws && act aws ec2 terminate-instances --instance-ids "$instance" --region "$region" && return
  power_off
}

can_release() { as_root true; } # at least it can be switched off
