# Solution for model obj
# Objective value = 0.5
eta 0.5
s1 1
s2 1
s3 0
s4 0
