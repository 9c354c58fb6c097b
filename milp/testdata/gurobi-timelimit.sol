# Solution for model obj
# Objective value = 0.75
eta 0.75
s1 1
s2 0
s3 1
s4 0
